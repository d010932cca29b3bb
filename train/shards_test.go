package train

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/losses"
)

// undropped is an objective whose training steps drop no units.
type undropped struct{ *energyObjective }

func (o undropped) Inputs(at Moment, part int, shard Task) ([]*tensors.Tensor, error) {
	at.Held = true
	return o.energyObjective.Inputs(at, part, shard)
}

func (o undropped) Loss(kind string, _ bool, weights []*Node, share *Node, in []*Node) losses.Terms {
	return o.energyObjective.Loss(kind, true, weights, share, in)
}

// Without dropout the gradient on images is the same, but for rounding, however many shards a batch has.
func TestShardsLeaveTheGradient(t *testing.T) {
	t.Parallel()
	gradient := func(shards int) (float64, []float32) {
		e, o, task := imageGradients(t, shards)
		e.objective = undropped{o}
		values, grads, err := e.compute(t.Context(), Moment{}, task)
		if err != nil {
			t.Fatal(err)
		}
		return values.Loss, valuesOf(grads)
	}
	loss, whole := gradient(1)
	for _, shards := range []int{2, 3} {
		cutLoss, cut := gradient(shards)
		if d := distance(cut, whole); !(d < 1e-5) {
			t.Errorf("with %d shards the gradient differs by %g of its size", shards, d)
		}
		if !(math.Abs(cutLoss-loss) <= 1e-5*math.Abs(loss)) {
			t.Errorf("with %d shards the loss is %g, with one %g", shards, cutLoss, loss)
		}
	}
}
