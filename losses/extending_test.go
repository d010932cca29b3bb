package losses

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// The file of a new loss: its law, and the Term under which the list `terms` (config.go) holds it. The weight would be
// a key of Config; a constant stands for it here.

// Confidence asks for decided energies: the entropy of every decision, summed over the decisions of a set,
//
//	L_confidence = −Σ_{n=2..N} Σ_k P_F(k) log P_F(k),   P_F = softmax(−E[c_{1:n−1}, k])
//
// Law: it is never negative, and zero when each decision is certain. The result has shape [B].
func Confidence(t models.Table) *Node {
	lowest := lowestEnergy(t.E)
	logP := Neg(Add(t.E, InsertAxes(logSumExpNeg(t.E, lowest), -1)))
	certain := ZerosLike(logP)
	entropy := Neg(ReduceSum(Where(LessThan(logP, MulScalar(OnesLike(logP), -80)), certain, Mul(Exp(logP), logP)), 2))
	return ReduceSum(Where(t.Valid, entropy, ZerosLike(entropy)), 1)
}

var confidence = Term{
	Name: "confidence", Key: "loss.confidence", Weight: func(Config) float64 { return 0.5 }, DataOnly: true,
	Loss: func(_ Config, s Sets) *Node { return Confidence(s.Table) },
}

// A new term is part of the loss and of the log by its line in the list alone.
func TestExtendingLosses(t *testing.T) {
	before := terms
	t.Cleanup(func() { terms = before })
	terms = append(slices.Clone(terms), confidence)

	parts, loss, want := objectiveOf(t, DefaultConfig())
	if at := slices.Index(parts, "confidence"); at < 0 {
		t.Errorf("the log names %v", parts)
	}
	if !slices.ContainsFunc(Named(), func(t Term) bool { return t.Name == "confidence" }) {
		t.Errorf("the log's columns are %v", Named())
	}
	terms = before
	_, without, _ := objectiveOf(t, DefaultConfig())
	if gap := loss - without; math.Abs(gap-0.5*want) > 1e-5 || want <= 0 {
		t.Errorf("it adds %g to the loss, want half of its own %g", gap, want)
	}
}

// A term of weight 0 is computed only if logs ask for it: a sampled one too.
func TestWeightlessTermIsNotComputed(t *testing.T) {
	before := terms
	t.Cleanup(func() { terms = before })
	weightless := confidence
	weightless.Weight, weightless.Sampled = func(Config) float64 { return 0 }, true
	for _, logged := range []bool{false, true} {
		weightless.Logged = logged
		terms = append(slices.Clone(before), weightless)
		if parts, _, _ := objectiveOf(t, DefaultConfig()); slices.Contains(parts, "confidence") != logged {
			t.Errorf("logged %v: the parts are %v", logged, parts)
		}
	}
}

// objectiveOf evaluates a data step on one set of three points: the names of its parts, its loss, and the confidence
// term per point.
func objectiveOf(t *testing.T, c Config) (names []string, loss, confidence float64) {
	t.Helper()
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	defer backend.Finalize()
	const illegal = 1e30
	energies := [][][]float32{{{0, illegal, illegal}, {1, 2, illegal}, {0.5, 0.25, 3}}}
	f := must.M1(engine.NewFunc(backend, t.Name(), func(in []*Node) []*Node {
		g := in[0].Graph()
		table := models.Table{
			E: in[0], Taken: Const(g, [][]float32{{0, 1, 3}}), Final: Const(g, []float32{3}),
			Valid: Const(g, [][]bool{{true, true, true}}), Last: Const(g, [][]bool{{false, false, true}}),
		}
		o := c.Objective(DataStep, Sets{Table: table, Negative: Const(g, []float32{1})}, Const(g, float32(1)))
		names = nil
		for _, p := range o.Parts {
			names = append(names, p.Name)
		}
		return []*Node{o.Loss, DivScalar(ReduceAllSum(Confidence(table)), 3)}
	}))
	out := must.M1(f.Call(tensors.FromValue(energies)))
	return names, float64(tensors.ToScalar[float32](out[0])), float64(tensors.ToScalar[float32](out[1]))
}
