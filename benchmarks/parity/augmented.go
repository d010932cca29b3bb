package parity

import (
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// augmented renders four augmentations of smooth images with sharp spots.
func augmented(backend compute.Backend) (func() ([]Quantity, error), error) {
	const count, side = 4, models.ImageSide
	f, err := engine.NewFunc(backend, "augmentation", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{augment.RenderGraph(in[0], in[1], side, side)}
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
