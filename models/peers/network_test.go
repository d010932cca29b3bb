package peers

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

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
