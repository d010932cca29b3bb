package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// EnergyTable holds the finite energies of all candidates while points are assigned one by one along given labels. With
// K_n clusters before point n, entry k < K_n of row n is the energy of joining cluster k, and entry K_n of opening a
// new one. Row 0 is empty: the first point has no choice.
type EnergyTable [][]float64

// check returns ErrTooFew unless there are so many labels, and ErrNotFinite unless all energies are finite.
func (e EnergyTable) check(labels []int32, least int) error {
	if len(labels) < least {
		return fmt.Errorf("energies of %d points, need %d: %w", len(labels), least, ErrTooFew)
	}
	for n, row := range e {
		if k := slices.IndexFunc(row, func(v float64) bool { return !IsFinite(v) }); k >= 0 {
			return fmt.Errorf("energy of point %d, candidate %d is %v: %w", n, k, row[k], ErrNotFinite)
		}
	}
	return nil
}

// LogProb returns the log-probability in nats of canonical labels [N] under the policy P_F (paper,
// eq:forward_clustering and eq:prob_trajectory): at each point a softmax of the negative energies over the candidates.
//
//	log p(c|x) = Σ_{n=2..N} log softmax_k(−E[n,k])[c_n]
//
// It belongs to one data order: the constant log 1/N! for a random order is left out. It fails without labels, and for
// an energy that is not finite.
func LogProb(e EnergyTable, labels []int32) (float64, error) {
	if err := e.check(labels, 1); err != nil {
		return 0, err
	}
	sum := 0.0
	for n := 1; n < len(labels); n++ {
		sum += -e[n][labels[n]] - logSumExpNeg(e[n], 0)
	}
	return sum, nil
}

// logSumExpNeg returns log Σ_k exp(−(row[k] − shift)), without overflow.
func logSumExpNeg(row []float64, shift float64) float64 {
	low := floats.Min(row)
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(low - v)
	}
	return math.Log(sum) - (low - shift)
}

// FlowEpsilon is the clamp of MCEps, the value in the authors' published code.
const FlowEpsilon = 1e-5

// Consistency holds the marginal-consistency loss of one set (paper, eqn:mc_loss) in three readings.
// All are in squared nats, at least 0, and 0 when every flow in equals the sum of the flows out.
type Consistency struct {
	// MC is the exact sum over the steps n = 2..N.
	MC float64
	// MCEps is the mean over the N−1 steps n = 2..N with every log-flow x replaced by log(FlowEpsilon + exp(x)).
	MCEps float64
	// Published is what the authors' published code prints: the terms of MCEps but the last, over N.
	Published float64
	// LastTerm is the term n = N of MC. It alone sees the energies' free additive constant.
	LastTerm float64
}

// MC returns the marginal-consistency loss of canonical labels [N], N ≥ 2, under the energies e.
//
//	MC = Σ_{n=2..N} (Ê[c_{1:n-1}] + log Σ_k exp(−Ê[c_{1:n-1}, k]))²
//	Ê[c_{1:n}] = 0 (n = 1),   E[c_{1:n}] − min_k E[c_{1:n-1}, k] (2 ≤ n < N),   E[c_{1:n}] (n = N)
//
// The log-flows of a step are −Ê[c_{1:n-1}] (in) and the logarithm of the sum (out); MCEps clamps both. It fails for
// fewer than two labels, and for an energy that is not finite.
func MC(e EnergyTable, labels []int32) (Consistency, error) {
	if err := e.check(labels, 2); err != nil {
		return Consistency{}, err
	}
	var c Consistency
	last, in := len(labels)-1, 0.0 // log-flow into the state before point n
	for n := 1; n <= last; n++ {
		shift := 0.0
		if n < last {
			shift = floats.Min(e[n])
		}
		out := logSumExpNeg(e[n], shift)
		term := square(out - in)
		c.MC += term
		clamped := square(clampFlow(out) - clampFlow(in))
		c.MCEps += clamped
		if n < last {
			c.Published += clamped / float64(len(labels))
		}
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

// SDPP returns the relative spread of a posterior probability over data orders (paper, eq:inv_metric): the population
// standard deviation of exp(logProbs) divided by its mean, which does not depend on a constant factor of p.
//
// logProbs [R], R ≥ 2, holds log p(c|x) of the same labeling in R orders; some, but not all, may be −Inf. An
// order-invariant model gives 0; one order that outweighs all others gives the ceiling √(R−1).
func SDPP(logProbs []float64) (float64, error) {
	if len(logProbs) < 2 {
		return 0, fmt.Errorf("SDPP of %d orders, need 2: %w", len(logProbs), ErrTooFew)
	}
	for r, v := range logProbs {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("log-probability of order %d is %v: %w", r, v, ErrNotFinite)
		}
	}
	top := floats.Max(logProbs)
	if math.IsInf(top, -1) {
		return 0, fmt.Errorf("every order has probability 0: %w", ErrNotFinite)
	}
	// Deviations are taken on exp(v) − 1: for nearly equal logs they keep the digits that exp rounds away.
	count := float64(len(logProbs))
	mean, offset := 0.0, 0.0 // of p/p_max and of p/p_max − 1
	for _, v := range logProbs {
		mean += math.Exp(v-top) / count
		offset += math.Expm1(v-top) / count
	}
	variance := 0.0
	for _, v := range logProbs {
		variance += square(math.Expm1(v-top)-offset) / count
	}
	return min(math.Sqrt(variance)/mean, math.Sqrt(count-1)), nil
}
