package losses

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

// evaluate returns the loss and the parts of the objective on a table of one set of two points with one slot each,
// whose final energy is 3; the negative sample's is 1. names lists the parts in their order.
func evaluate(t *testing.T, c Config, step string) (loss float64, names []string, parts map[string]float64) {
	t.Helper()
	out := enginetest.Run(t, func(in []*Node) []*Node {
		e := in[0]
		table := models.Table{
			E: Reshape(e, 1, 2, 1), Taken: e, Valid: Const(e.Graph(), [][]bool{{true, true}}),
			Last: Const(e.Graph(), [][]bool{{false, true}}), Final: Const(e.Graph(), []float32{3}),
		}
		terms := c.Objective(step, Sets{Table: table, Negative: Const(e.Graph(), []float32{1})},
			Scalar(e.Graph(), dtypes.Float32, 1))
		out := []*Node{terms.Loss}
		for _, part := range terms.Parts {
			names, out = append(names, part.Name), append(out, part.Node)
		}
		return out
	}, tensors.FromFlatDataAndDimensions([]float32{0, 3}, 1, 2))
	parts = map[string]float64{}
	for i, name := range names {
		parts[name] = float64(out[1+i][0])
	}
	return float64(out[0][0]), names, parts
}

// A term that is added to the list counts by its weight on the steps that it names, and then is a part by its name; of
// weight 0 it is not even built. One that is always logged is there without any weight.
func TestAddedTerm(t *testing.T) {
	before := terms
	defer func() { terms = before }()
	weight := 0.0
	extra := Term{
		Name: "extra", Key: "loss.extra", Weight: func(Config) float64 { return weight },
		Loss: func(_ Config, s Sets) *Node { return MulScalar(s.Table.Final, 7) }, // 21
	}
	steps := []string{LikelihoodStep, WarmupStep, DataStep, ExplorationStep}
	for _, test := range []struct {
		weight                   float64
		dataOnly, logged, silent bool
		counts, shows            []string
	}{
		{0, false, false, false, nil, nil},
		{0.5, false, false, false, steps[1:], steps[1:]},
		{0.5, true, false, false, steps[2:3], steps[2:3]},
		{0, false, true, false, nil, steps[1:]},
		{0.5, false, false, true, steps[1:], nil},
	} {
		for _, step := range steps {
			c := DefaultConfig()
			c.Normalize = Sum
			terms = before
			without, _, parts := evaluate(t, c, step)
			extra.DataOnly, extra.Logged, extra.Silent = test.dataOnly, test.logged, test.silent
			weight, terms = test.weight, append(slices.Clone(before), extra)
			with, _, more := evaluate(t, c, step)
			want := without
			if slices.Contains(test.counts, step) {
				want += test.weight * 21
			}
			if !(math.Abs(with-want) <= 1e-5*math.Abs(want)) {
				t.Errorf("%+v, %s: the loss is %g, want %g (without %g)", test, step, with, want, without)
			}
			if slices.Contains(test.shows, step) {
				parts["extra"] = 21
			}
			if fmt.Sprint(more) != fmt.Sprint(parts) {
				t.Errorf("%+v, %s: the parts are %v, want %v", test, step, more, parts)
			}
		}
	}
}

// Each kind of step has the parts that logs expect of it, in their order, whatever the weights. What holds a free
// constant is silent.
func TestPartsOfEachStep(t *testing.T) {
	known, weightless := []string{"mc", "cd", "reg", "gauge", "nll"}, DefaultConfig() // other parts may be added
	weightless.Lambda, weightless.Delta, weightless.Gauge, weightless.NLLWeight = 0, 0, 0, 0
	for step, want := range map[string][]string{
		LikelihoodStep: {"nll"}, WarmupStep: {"mc", "reg", "nll"}, ExplorationStep: {"mc", "reg", "nll"},
		DataStep: {"mc", "cd", "reg", "nll"},
	} {
		for _, c := range []Config{DefaultConfig(), weightless} {
			_, got, _ := evaluate(t, c, step)
			got = slices.DeleteFunc(got, func(name string) bool { return !slices.Contains(known, name) })
			if !slices.Equal(got, want) {
				t.Errorf("%s step, weight %g: parts %v, want %v", step, c.Lambda, got, want)
			}
		}
	}
}

// Regularization of data steps alone (published code) leaves exploration steps as if it had no weight, and data steps
// as they are.
func TestRegOnData(t *testing.T) {
	c := DefaultConfig()
	c.Normalize = Sum
	for _, step := range []string{DataStep, ExplorationStep} {
		c.RegOnData, c.Delta = false, 0.6
		everywhere, _, _ := evaluate(t, c, step)
		c.Delta = 0
		nowhere, _, _ := evaluate(t, c, step)
		c.RegOnData, c.Delta = true, 0.6
		got, _, _ := evaluate(t, c, step)
		want := everywhere
		if step == ExplorationStep {
			want = nowhere
		}
		if everywhere == nowhere || math.Abs(got-want) > 1e-5*math.Abs(want) {
			t.Errorf("%s: the loss is %g, want %g (%g with, %g without the term)", step, got, want, everywhere, nowhere)
		}
	}
}
