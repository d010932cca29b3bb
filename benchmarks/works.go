// Package benchmarks measures speed and memory: training steps, decoding of batches, and single large sets. Each work
// is a Go benchmark (BenchmarkWorks), and `gfncp bench` prints the same works in the same format, which benchstat
// reads. docs/performance.md shows the recorded numbers of benchmarks/results.
//
// Axis letters: B sets, N points, K clusters.
package benchmarks

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// Work is something to measure. Its first call compiles and should not be counted.
type Work struct {
	Name   string  // as benchmarks of Go are called, such as Step/gfncp/64x75
	Points int     // B·N of a call, at most
	Holds  float64 // bytes that a training step takes as train.Config.Memory estimates; 0: not estimated
	Reads  string  // kind of its Shipped model; empty if it reads none
	Images bool    // it needs the files of MNIST
	// Open prepares a call. A call returns the mean K of the sets that it decoded, or of a training step's negative
	// sample; 0 if there is neither.
	Open func(compute.Backend) (call func() (found float64, err error), err error)
}

// Works lists what is measured. Steps on images need the files of MNIST; they come last, since these stay in memory.
func Works() (all []Work) {
	var decodings []Work
	for _, model := range train.Models() {
		shapes := batches
		if train.KindOf(model).Energies() {
			shapes = append(slices.Clone(shapes), largeBatch)
		}
		for _, shape := range shapes {
			all = append(all, Step(fmt.Sprintf("Step/%s/%v", model, shape), shape.On(train.Default(model))))
			decodings = append(decodings, Decode(model, shape))
		}
	}
	all = append(all, decodings...)
	for _, clusters := range []int{6, 50} {
		for _, points := range []int{100, 1000, 10_000} {
			all = append(all, Decode(train.GFNCP, Shape{1, points, clusters}))
		}
	}
	for _, model := range []string{train.GFNCP, train.NCP} {
		c := train.DefaultOn(model, data.SourceMNIST)
		c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Loss.Beta = 16, 50, 300, 1
		all = append(all, Step(fmt.Sprintf("StepMNIST/%s/16x50..300", model), c))
	}
	return all
}

// Step is an optimizer step of a training, the batch and the negative sample included.
func Step(name string, c train.Config) Work {
	w := Work{Name: name, Points: c.Data.Batch * c.Data.NMax, Images: c.Data.IsImages()}
	if !c.IsPeer() {
		w.Holds = c.Memory()
	}
	w.Open = func(backend compute.Backend) (func() (float64, error), error) {
		trainer, err := train.New(backend, sources.Source, c)
		return func() (float64, error) {
			step, err := trainer.Advance()
			return step.Sampled, err
		}, err
	}
	return w
}

// Decode is a point estimate of a batch, encoding included: greedy decoding for the energy networks.
func Decode(model string, shape Shape) Work {
	name := fmt.Sprintf("Decode/%s/%v", model, shape)
	open := func(backend compute.Backend) (func() (float64, error), error) {
		m, err := Shipped(model)
		if err != nil {
			return nil, err
		}
		batch, err := shape.Batch()
		if err != nil {
			return nil, err
		}
		clusterer, err := m.Clusterer(backend)
		return func() (float64, error) {
			labels, err := clusterer.Cluster(data.Rand(1, "bench", 0), batch.X, batch.B, batch.N)
			return meanClusters(labels), err
		}, err
	}
	return Work{Name: name, Points: shape.Sets * shape.Points, Reads: model, Open: open}
}

// meanClusters is the mean number of clusters of labels that are numbered from 0.
func meanClusters(sets [][]int32) float64 {
	total := 0.0
	for _, labels := range sets {
		total += float64(slices.Max(labels)) + 1
	}
	return total / float64(max(1, len(sets)))
}
