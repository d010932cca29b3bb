package main

import (
	"io"
	"slices"
	"strconv"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// handedSteps is the number of batches and of optimizer steps that are handed over.
const handedSteps = 3

// tensors collects what is handed over, all as float32: labels are small whole numbers.
type tensors struct{ safetensors.File }

func (t *tensors) add(name string, shape []int, values []float32) error {
	tensor, err := safetensors.FromFloat32s(name, shape, values)
	t.Tensors = append(t.Tensors, tensor)
	return err
}

func (t *tensors) labels(name string, shape benchmarks.Shape, labels []int32) error {
	values := make([]float32, len(labels))
	for i, label := range labels {
		values[i] = float32(label)
	}
	return t.add(name, []int{shape.Sets, shape.Points}, values)
}

func (t *tensors) weights(prefix string, params models.Params) error {
	for _, p := range params {
		if err := t.add(prefix+p.Name, p.Shape, p.Data); err != nil {
			return err
		}
	}
	return nil
}

// handover writes a safetensors file:
//
//	x.S [64,75,2], labels.S [64,75]     the batches of steps S = 0, 1, 2, of GFNCP as of NCP
//	initial.*                           the weights before step 0, of GFNCP as of NCP
//	loss.MODEL, norm.MODEL [3]          losses and gradient norms of the steps, without a negative sample: λ = 0
//	trained.*                           the weights of the GFNCP that decodes
//	DECODING.x [B,N,2], .labels [B,N]   a batch, and the labels found
func handover(backend compute.Backend, path string) error {
	t := &tensors{}
	if err := t.batches(); err != nil {
		return err
	}
	for _, model := range []string{train.GFNCP, train.NCP} {
		if err := t.steps(backend, model); err != nil {
			return err
		}
	}
	m, _, err := benchmarks.Shipped(train.GFNCP)
	if err != nil {
		return err
	}
	if err := t.weights("trained.", m.Params); err != nil {
		return err
	}
	for name, shape := range decodings {
		if err := t.decoding(backend, name, shape); err != nil {
			return err
		}
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, &t.File) })
}

func (t *tensors) batches() error {
	c := stepConfig(train.GFNCP)
	source, err := sources.Source(c.Data)
	if err != nil {
		return err
	}
	for step := range handedSteps {
		batch, err := source.Batch(c.Seed, step)
		if err != nil {
			return err
		}
		name := strconv.Itoa(step)
		if err := t.add("x."+name, []int{batch.B, batch.N, batch.D}, batch.X); err != nil {
			return err
		}
		if err := t.labels("labels."+name, batchShape, batch.Labels); err != nil {
			return err
		}
	}
	return nil
}

func (t *tensors) steps(backend compute.Backend, model string) error {
	c := stepConfig(model)
	c.Loss.Lambda = 0
	trainer, err := train.New(backend, sources.Source, c)
	if err != nil {
		return err
	}
	if model == train.GFNCP {
		weights, err := trainer.Weights()
		if err != nil {
			return err
		}
		if err := t.weights("initial.", weights); err != nil {
			return err
		}
	}
	var losses, norms []float32
	for range handedSteps {
		step, err := trainer.Advance()
		if err != nil {
			return err
		}
		losses, norms = append(losses, float32(step.Loss)), append(norms, float32(step.GradNorm))
	}
	if err := t.add("loss."+model, []int{handedSteps}, losses); err != nil {
		return err
	}
	return t.add("norm."+model, []int{handedSteps}, norms)
}

func (t *tensors) decoding(backend compute.Backend, name string, shape benchmarks.Shape) error {
	batch, err := drawn(shape)
	if err != nil {
		return err
	}
	decode, err := decoder(backend, batch)
	if err != nil {
		return err
	}
	labels, err := decode()
	if err != nil {
		return err
	}
	if err := t.add(name+".x", []int{batch.B, batch.N, batch.D}, batch.X); err != nil {
		return err
	}
	return t.labels(name+".labels", shape, slices.Concat(labels...))
}
