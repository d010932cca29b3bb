package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// handedSteps is the number of batches and of optimizer steps that are handed over.
const handedSteps = 3

// tensors collects the numbers that are handed over, all as float32: labels are small whole numbers.
type tensors struct{ safetensors.File }

func (t *tensors) add(name string, shape []int, values []float32) {
	t.Tensors[name] = safetensors.Tensor{Shape: shape, Data: values}
}

// sets adds the points of a batch and their labels [B,N].
func (t *tensors) sets(x, labels string, batch *data.Batch, values []int32) {
	t.add(x, []int{batch.B, batch.N, batch.D}, batch.X)
	numbers := make([]float32, len(values))
	for i, label := range values {
		numbers[i] = float32(label)
	}
	t.add(labels, []int{batch.B, batch.N}, numbers)
}

func (t *tensors) weights(prefix string, params models.Params) {
	for _, p := range params {
		t.add(prefix+p.Name, p.Shape, p.Data)
	}
}

// handover writes a safetensors file:
//
//	x.S [64,75,2], labels.S [64,75]     the batches of steps S = 0, 1, 2, of GFNCP as of NCP
//	initial.*                           the weights before step 0, of GFNCP as of NCP
//	loss.MODEL, norm.MODEL [3]          losses and gradient norms of the steps, without a negative sample: λ = 0
//	trained.*                           the weights of the GFNCP that decodes
//	DECODING.x [B,N,2], .labels [B,N]   a batch, and the labels found
func handover(backend compute.Backend, path string) {
	t := &tensors{safetensors.File{Tensors: map[string]safetensors.Tensor{}}}
	c := batchShape.On(train.Default(train.GFNCP))
	source := must.M1(sources.Source(c.Data))
	for step := range handedSteps {
		batch := must.M1(source.Batch(c.Seed, step))
		t.sets(fmt.Sprintf("x.%d", step), fmt.Sprintf("labels.%d", step), batch, batch.Labels)
	}
	for _, model := range []string{train.GFNCP, train.NCP} {
		t.steps(backend, model)
	}
	m := must.M1(benchmarks.Shipped(train.GFNCP))
	t.weights("trained.", m.Params)
	clusterer := must.M1(m.Clusterer(backend))
	for name, shape := range decodings {
		batch := must.M1(shape.Batch())
		labels := must.M1(clusterer.Cluster(nil, batch.X, batch.B, batch.N))
		t.sets(name+".x", name+".labels", batch, slices.Concat(labels...))
	}
	must.M(atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, &t.File) }))
}

func (t *tensors) steps(backend compute.Backend, model string) {
	c := batchShape.On(train.Default(model))
	c.Loss.Lambda = 0
	trainer := must.M1(train.New(backend, sources.Source, c))
	if model == train.GFNCP {
		t.weights("initial.", must.M1(trainer.Weights()))
	}
	var losses, norms []float32
	for range handedSteps {
		step := must.M1(trainer.Advance())
		losses, norms = append(losses, float32(step.Loss)), append(norms, float32(step.GradNorm))
	}
	t.add("loss."+model, []int{handedSteps}, losses)
	t.add("norm."+model, []int{handedSteps}, norms)
}
