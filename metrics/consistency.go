package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// FlowEpsilon is the clamp of MCEps, the value in the authors' published code.
const FlowEpsilon = 1e-5

// Consistency holds the marginal-consistency loss of one set (paper, eqn:mc_loss) in three readings.
// All are in squared nats, at least 0, and 0 when every flow in equals the sum of the flows out.
type Consistency struct {
	// MC is the exact sum over the steps n = 2..N.
	MC float64
	// MCEps is the mean over the N−1 steps n = 2..N with every log-flow x replaced by log(FlowEpsilon + exp(x)).
	MCEps float64
	// LastTerm is the term n = N of MC. It alone sees the energies' free additive constant.
	LastTerm float64
}

// MC returns the marginal-consistency loss of canonical labels [N] under the energies e.
//
//	MC = Σ_{n=2..N} (Ê[c_{1:n-1}] + log Σ_k exp(−Ê[c_{1:n-1}, k]))²
//	Ê[c_{1:n}] = 0 (n = 1),   E[c_{1:n}] − min_k E[c_{1:n-1}, k] (2 ≤ n < N),   E[c_{1:n}] (n = N)
//
// The log-flows of a step are −Ê[c_{1:n-1}] (in) and the logarithm of the sum (out); MCEps clamps both. It returns
// ErrTooFew if N < 2, ErrLength if e does not have the shape that labels need, ErrNotCanonical, ErrNotFinite.
func MC(e EnergyTable, labels []int32) (Consistency, error) {
	last := len(labels) - 1
	if last < 1 {
		return Consistency{}, fmt.Errorf("marginal consistency of %d points, need 2: %w", len(labels), ErrTooFew)
	}
	if err := e.check(labels); err != nil {
		return Consistency{}, err
	}
	var c Consistency
	in := 0.0 // log-flow into the state before point n
	for n := 1; n <= last; n++ {
		shift := 0.0
		if n < last {
			shift = floats.Min(e[n])
		}
		out := logSumExpNeg(e[n], shift)
		term := square(out - in)
		c.MC += term
		c.MCEps += square(clampFlow(out) - clampFlow(in))
		c.LastTerm = term
		in = shift - e[n][labels[n]]
	}
	c.MCEps /= float64(last)
	return c, nil
}

// clampFlow returns log(FlowEpsilon + exp(x)) without overflow: for x above 0 the exponential is factored out.
func clampFlow(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(FlowEpsilon*math.Exp(-x))
	}
	return math.Log(FlowEpsilon + math.Exp(x))
}

func square(x float64) float64 { return x * x }
