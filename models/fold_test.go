package models_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// Training folds the weights within its graph; what that graph encodes is what a network with packed weights does, for
// vectors and for images.
func TestFoldWithinTheGraph(t *testing.T) {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	defer backend.Finalize()
	images := smallConfig(false)
	images.Encoder, images.Dim = models.EncoderConv, models.ImageSide*models.ImageSide
	for name, c := range map[string]models.Config{"vectors": smallConfig(false), "images": images} {
		rng := rand.New(rand.NewPCG(1, 2))
		weights := c.Init(rng)
		x, _ := randomSets(rng, 1, 3, c.Dim)
		h, u := must.M2(must.M1(models.NewNetwork(backend, c, weights)).Encode(x, 1))
		encode := must.M1(engine.NewFunc(backend, t.Name(), func(in []*Node) []*Node {
			h, u := models.Fold(c, in[1:]).Encode(in[0], nil)
			return []*Node{h, u}
		}))
		in := append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, 3, c.Dim)}, weights.Tensors()...)
		out := must.M1(encode.Call(in...))
		for i, want := range [][]float32{h, u} {
			got := must.M1(engine.Float32s(out[i]))
			if len(got) != len(want) {
				t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
			}
			for j := range want {
				if !(math.Abs(float64(got[j]-want[j])) <= 1e-5*math.Max(1, math.Abs(float64(want[j])))) {
					t.Fatalf("%s: number %d of output %d is %g, want %g", name, j, i, got[j], want[j])
				}
			}
		}
	}
}
