package models_test

import (
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

// Training folds the weights within its graph; what that graph encodes is what a network with packed weights does, for
// vectors and for images.
func TestFoldWithinTheGraph(t *testing.T) {
	images := smallConfig(false)
	images.Encoder, images.Dim = models.EncoderConv, models.ImageSide*models.ImageSide
	for name, c := range map[string]models.Config{"vectors": smallConfig(false), "images": images} {
		rng := rand.New(rand.NewPCG(1, 2))
		weights := c.Init(rng)
		x, _ := randomSets(rng, 1, 3, c.Dim)
		h, u := must.M2(must.M1(models.NewNetwork(enginetest.Go(), c, weights)).Encode(x, 1))
		in := append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, 3, c.Dim)}, weights.Tensors()...)
		got := enginetest.Run(t, func(in []*Node) []*Node {
			h, u := models.Fold(c, in[1:]).Encode(in[0], nil)
			return []*Node{h, u}
		}, in...)
		assertSame(t, name+": h'", got[0], h)
		assertSame(t, name+": u'", got[1], u)
	}
}
