package sampling

import (
	"context"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Point by point, the stepper makes the same decisions as a greedy run over the whole set.
func TestStepperEqualsRun(t *testing.T) {
	const n = 30
	net := newNet(2, true)
	x := newPoints(3, 1, n)
	sets := must.M1(Encode(context.Background(), net, x, 1, n))
	want := must.M1(sets.runHost(sets.EachSet(), Greedy()))
	stepper := must.M1(NewStepper(net))
	var d Decision
	for i := range n {
		before := stepper.Clusters()
		d = must.M1(stepper.Next(x[2*i : 2*i+2]))
		if d.Label != want.Labels[0][i] {
			t.Fatalf("point %d has label %d, want %d", i, d.Label, want.Labels[0][i])
		}
		checkProbs(t, d.Probs, before+1, want.Entropy[0][i])
	}
	assertNear(t, "log-probability", d.LogProb, want.LogProb[0], 1e-4)
	assertNear(t, "final energy", d.Energy, want.Final[0], 1e-4)
	if got := stepper.Clusters(); got != metrics.Clusters(want.Labels[0]) {
		t.Fatalf("%d clusters, want %d", got, metrics.Clusters(want.Labels[0]))
	}
}

func checkProbs(t *testing.T, probs []float64, count int, wantEntropy float64) {
	t.Helper()
	if len(probs) != count {
		t.Fatalf("%d probabilities, want %d", len(probs), count)
	}
	assertNear(t, "sum of probabilities", floats.Sum(probs), 1, 1e-9)
	assertNear(t, "entropy", stat.Entropy(probs), wantEntropy, 1e-4)
}

func TestStepperErrors(t *testing.T) {
	ahead := newNet(2, false)
	if _, err := NewStepper(ahead); !usererr.Is(err) {
		t.Errorf("a network that looks ahead: error %v, want a user's fault", err)
	}
	net := newNet(2, true)
	stepper := must.M1(NewStepper(net))
	if _, err := stepper.Next([]float32{1, 2, 3}); err == nil {
		t.Error("a point of 3 coordinates passes a network of 2")
	}
	if d := must.M1(stepper.Next([]float32{1, 2})); d.Label != 0 || d.LogProb != 0 {
		t.Errorf("the first good point gives %+v, want label 0 with certainty", d)
	}
	if _, err := stepper.Next(nil); err == nil || !strings.Contains(err.Error(), "point 1 has 0 coordinates") {
		t.Errorf("the second point: error %v", err)
	}
}
