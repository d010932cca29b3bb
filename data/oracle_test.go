package data

import (
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

func TestOracle(t *testing.T) {
	// Two centers at 0 and 4 with σ = 1 and sizes 3 and 1: the boundary lies where log 3 − x²/2 = −(x−4)²/2,
	// i.e. at x = 2 + log(3)/4 = 2.2747.
	s := mogSet{x: []float32{0, 2.27, 2.28, 4}, labels: []int32{0, 0, 0, 1}, d: 1, centers: []float64{0, 4}}
	if got := s.oracle(1); !slices.Equal(got, []int32{0, 0, 1, 1}) {
		t.Errorf("oracle labels %v, want [0 0 1 1]", got)
	}
}

// TestBatchWithOracle: the batch is the one of Batch, and the oracle is perfect when clusters cannot be confused.
func TestBatchWithOracle(t *testing.T) {
	for _, mode := range []string{ModeGenerative, ModeInstance} {
		m := mustMoG(func(c *Config) { c.SigmaMu, c.Mode = 1e5, mode })
		b, oracle := must.M2(m.BatchWithOracle(9, 1))
		if !reflect.DeepEqual(b, must.M1(m.Batch(9, 1))) {
			t.Errorf("%s: BatchWithOracle gives another batch than Batch", mode)
		}
		if !slices.Equal(oracle, b.Labels) {
			t.Errorf("%s: the oracle errs on separated clusters", mode)
		}
	}
}
