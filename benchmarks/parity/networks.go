package parity

import (
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

func networkCases() []Case {
	return []Case{
		{"encoder mlp", encoder(vectors, points(11, 64*2, 10), 1, 5)},
		{"encoder mean shift", encoder(seeing, points(20, 2*32*2, 10), 32, 5)},
		{"encoder conv", encoder(images, points(12, 6*784, 1), 1, 1)},
		{"energy table", energyTable(vectors)},
		{"energy table additive", energyTable(foreseeing)},
		{"candidate scores", candidateScores},
	}
}

func encoder(c models.Config, x []float32, n, step int) opener {
	return func(backend compute.Backend) (func() ([]Quantity, error), error) {
		net, err := models.NewNetwork(backend, c, weights(c, 1))
		return func() ([]Quantity, error) {
			h, u, err := net.Encode(x, n)
			return []Quantity{{"h'", thin(h, step), rounded}, {"u'", thin(u, step), rounded}}, err
		}, err
	}
}

// energyTable evaluates all candidates of two labelled sets of 24 points.
func energyTable(c models.Config) opener {
	return func(backend compute.Backend) (func() ([]Quantity, error), error) {
		const b, n = 2, 24
		net, err := models.NewNetwork(backend, c, weights(c, 1))
		x, labels := points(13, b*n*2, 10), slices.Concat(labelled(14, b, n, 6)...)
		return func() ([]Quantity, error) {
			tables, err := net.Tables(x, labels, b, n)
			energies := slices.Concat(slices.Concat(tables...)...)
			return []Quantity{{"E", float32s(energies), rounded}}, err
		}, err
	}
}

// candidateScores evaluates the decoders' step on 40 rows.
func candidateScores(backend compute.Backend) (func() ([]Quantity, error), error) {
	const count = 40
	net, err := models.NewNetwork(backend, vectors, weights(vectors, 1))
	if err != nil {
		return nil, err
	}
	rows, width := net.Buckets.Rows(count), vectors.Hidden
	sums, rest := points(15, rows*width, 20), points(16, rows*width, 20)
	return func() ([]Quantity, error) {
		cluster, energy := make([]float32, rows*width), make([]float32, rows)
		err := net.Score(sums, rest, rows, cluster, energy)
		return []Quantity{{"g'", thin(cluster[:count*width], 5), rounded}, {"E", energy[:count], rounded}}, err
	}, nil
}

// augmented renders four augmentations of smooth images with sharp spots.
func augmented(backend compute.Backend) (func() ([]Quantity, error), error) {
	const count, side = 4, models.ImageSide
	f, err := engine.NewFunc(backend, "augmentation", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{augment.Images{}.RenderGraph(in[0], in[1], side, side)}
	})
	if err != nil {
		return nil, err
	}
	pixels, params := make([]float32, count*side*side), make([]float32, count*augment.NumParams)
	for i := range pixels {
		row, column := i/side%side, i%side
		pixels[i] = float32(0.5 + 0.4*math.Sin(float64(row)/3)*math.Cos(float64(column)/4))
		if noise(18, i) > 0.9 {
			pixels[i] = 1
		}
	}
	for i := range count {
		augment.DefaultImages().Draw(data.Rand(1, "parity", i), params[i*augment.NumParams:])
	}
	return func() ([]Quantity, error) {
		in := []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(pixels, count, side*side),
			tensors.FromFlatDataAndDimensions(params, count, augment.NumParams),
		}
		defer engine.Free(in...)
		out, err := f.Call(in...)
		if err != nil {
			return nil, err
		}
		defer engine.Free(out...)
		values, err := engine.Float32s(out[0])
		return []Quantity{{"pixels", values, pointwise}}, err
	}, nil
}
