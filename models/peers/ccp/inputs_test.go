package ccp

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

// What a point is given by its pairs, added up by gathering, is what a scatter adds up: padded pairs and points, sets
// of few steps and points that are in no pair included.
func TestGatheredGradientOfPairs(t *testing.T) {
	const b, n, width = 3, 7, 5
	m := small()
	m.Steps = 3
	batch := data.NewBatch(b, n, 2)
	copy(batch.X, newPoints(3, len(batch.X)))
	copy(batch.Labels, []int32{0, 1, 2, 3, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 2, 0})
	in := must.M1(m.Inputs(rand.New(rand.NewPCG(5, 5)), batch, models.FineBuckets))
	padded := models.FineBuckets.Points(n)
	values := tensors.FromFlatDataAndDimensions(newPoints(4, b*padded*width), b*padded, width)
	got := enginetest.Run(t, func(nodes []*Node) []*Node {
		x, point, pair := nodes[0], Slice(nodes[1], AxisRange(), AxisRange(0, 1)), nodes[2]
		var out []*Node
		for _, y := range []*Node{Gather(x, point), byPairGathered(x, point, pair)} {
			row := Reshape(nodes[3], -1, 1)
			real := BroadcastToShape(GreaterOrEqual(row, ScalarZero(x.Graph(), row.DType())), y.Shape())
			weight := AddScalar(Add(Iota(x.Graph(), y.Shape(), 0), MulScalar(Iota(x.Graph(), y.Shape(), 1), 0.25)), 1)
			out = append(out, y, Gradient(ReduceAllSum(Where(real, Mul(y, weight), ZerosLike(y))), x)[0])
		}
		return out
	}, values, in[8], in[9], in[7])
	most := 0.0
	for i := range 2 {
		for j, want := range got[i] {
			most = math.Max(most, math.Abs(float64(want)))
			if !(math.Abs(float64(got[2+i][j]-want)) <= 1e-5*math.Max(1, math.Abs(float64(want)))) {
				t.Fatalf("result %d at %d is %g, want %g", i, j, got[2+i][j], want)
			}
		}
	}
	if most < 10 {
		t.Errorf("a gradient of at most %g shows nothing", most)
	}
}
