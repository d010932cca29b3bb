// Command peers is the Go program of a comparison with JAX and PyTorch (rounds.py, which builds and starts it).
//
// "peers BACKEND WORK" opens a work, prints a line that says what runs, calls the work once for each line on standard
// input, and prints the number of clusters that the call found. "peers BACKEND handover FILE" writes what the other
// programs get: batches, weights, and the Go program's own results, with which theirs must agree.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	_ "github.com/gfncp/gfncp/pretrained"
	"github.com/gfncp/gfncp/train"
)

// batchShape is that of a training step and of the batch that is decoded.
var batchShape = benchmarks.Shape{Sets: 64, Points: 75, Clusters: 4}

// decodings are the works that decode greedily, by name.
var decodings = map[string]benchmarks.Shape{
	"decode-batch": batchShape,
	"decode-6":     {Sets: 1, Points: 1000, Clusters: 6},
	"decode-50":    {Sets: 1, Points: 1000, Clusters: 50},
}

func main() {
	log.SetFlags(0)
	if err := engine.Prepare(); err != nil {
		log.Fatal(err)
	}
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("peers: ", err)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: peers BACKEND WORK, or peers BACKEND handover FILE")
	}
	choice, err := engine.Choose(args[0])
	if err != nil {
		return err
	}
	backend, err := choice.Open()
	if err != nil {
		return err
	}
	if args[1] == "handover" && len(args) == 3 {
		return handover(backend, args[2])
	}
	call, err := open(backend, args[1])
	if err != nil {
		return err
	}
	fmt.Println(versions())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		found, err := call()
		if err != nil {
			return err
		}
		fmt.Println(found)
	}
	return lines.Err()
}

// versions names Go and GoMLX as they were linked.
func versions() string {
	text := strings.Fields(runtime.Version())[0]
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/gomlx/gomlx" {
			text += ", GoMLX " + module.Version
		}
	}
	return text
}

// open makes a work ready: "step-gfncp", "step-ncp", or one of decodings. A call returns the mean K of the sets that it
// decoded, in a step of the negative sample.
func open(backend compute.Backend, name string) (call func() (float64, error), err error) {
	if shape, ok := decodings[name]; ok {
		return openDecoding(backend, shape)
	}
	model, ok := strings.CutPrefix(name, "step-")
	if !ok {
		return nil, fmt.Errorf("no work is called %q", name)
	}
	trainer, err := train.New(backend, sources.Source, stepConfig(model))
	return func() (float64, error) {
		step, err := trainer.Advance()
		return step.Sampled, err
	}, err
}

// stepConfig is the default training of a model on batches of batchShape; every step of GFNCP draws a negative sample.
func stepConfig(model string) train.Config {
	c := train.Default(model)
	c.Data.Batch, c.Data.NMin, c.Data.NMax = batchShape.Sets, batchShape.Points, batchShape.Points
	c.Data.FixedK, c.Loss.Beta = batchShape.Clusters, 1
	return c
}

func openDecoding(backend compute.Backend, shape benchmarks.Shape) (call func() (float64, error), err error) {
	batch, err := drawn(shape)
	if err != nil {
		return nil, err
	}
	decode, err := decoder(backend, batch)
	return func() (float64, error) {
		labels, err := decode()
		total := 0.0
		for _, set := range labels {
			total += float64(slices.Max(set)) + 1
		}
		return total / float64(max(1, len(labels))), err
	}, err
}

// drawn is a batch of mixtures of Gaussians.
func drawn(shape benchmarks.Shape) (*data.Batch, error) {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK, c.Stream = shape.Sets, shape.Points, shape.Points, shape.Clusters, "bench"
	source, err := data.NewMoG(c)
	if err != nil {
		return nil, err
	}
	return source.Batch(1, 0)
}

// decoder decodes a batch greedily with the GFNCP that is shipped; it returns the labels of each set.
func decoder(backend compute.Backend, batch *data.Batch) (func() ([][]int32, error), error) {
	m, _, err := benchmarks.Shipped(train.GFNCP)
	if err != nil {
		return nil, err
	}
	clusterer, err := m.Clusterer(backend)
	return func() ([][]int32, error) { return clusterer.Cluster(nil, batch.X, batch.B, batch.N) }, err
}
