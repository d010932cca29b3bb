package peers

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

// A part's weights come in the layout's order, and a name is not taken for the beginning of another.
func TestWeights(t *testing.T) {
	w := Weights{
		Layout: models.Params{{Name: "a.0.weight"}, {Name: "ab.0.weight"}, {Name: "a.0.bias"}, {Name: "b.0.weight"}},
	}
	for range w.Layout {
		w.Nodes = append(w.Nodes, new(Node))
	}
	if got := w.Of("a"); !slices.Equal(got, []*Node{w.Nodes[0], w.Nodes[2]}) {
		t.Error("wrong weights")
	}
}

// The points that count have mean 0 and variance 1 over all coordinates, whatever lies where none count and wherever
// the set lies; equal points, and sets without any, stay finite.
func TestStandardized(t *testing.T) {
	x := []float32{
		7, 1, 7.5, 1.5, 8, 0, 999, -999,
		3, 4, 3, 4, 3, 4, 0, 0,
		1, 2, 3, 4, 5, 6, 7, 8,
	}
	valid := []bool{true, true, true, false, true, true, true, false, false, false, false, false}
	got := enginetest.Run(t, func(in []*Node) []*Node { return []*Node{Standardized(in[0], in[1])} },
		tensors.FromFlatDataAndDimensions(x, 3, 4, 2), tensors.FromFlatDataAndDimensions(valid, 3, 4))[0]
	var squares float64
	for j := range 2 {
		var sum float64
		for i := range 3 {
			sum += float64(got[i*2+j])
			squares += float64(got[i*2+j]) * float64(got[i*2+j])
		}
		if math.Abs(sum) > 1e-5 {
			t.Errorf("the mean of coordinate %d is %g", j, sum/3)
		}
	}
	if math.Abs(squares/6-1) > 1e-4 {
		t.Errorf("the variance is %g", squares/6)
	}
	// The same scale for all coordinates: differences keep their ratio.
	if ratio := (got[4] - got[0]) / (got[3] - got[1]); math.Abs(float64(ratio)-2) > 1e-4 {
		t.Errorf("the shape of the set changed: %v", got[:6])
	}
	for i, v := range got {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) || i >= 8 && i < 14 && v != 0 {
			t.Errorf("value %d is %g", i, v)
		}
	}
}
