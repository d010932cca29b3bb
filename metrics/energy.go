package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// EnergyTable holds the energies of all candidates met while points are assigned one by one along given labels.
//
// Row n (0-based point index, N rows) has K_n+1 entries, K_n being the number of clusters among the points before n:
// entry k < K_n is the energy of joining cluster k, entry K_n that of opening a new cluster. Row 0 is empty: the first
// point has no choice. Energies are unitless and finite.
type EnergyTable [][]float64

// check returns an error unless labels are canonical and e has their shape and finite entries only.
func (e EnergyTable) check(labels []int32) error {
	if len(e) != len(labels) {
		return fmt.Errorf("energy table of %d rows for %d labels: %w", len(e), len(labels), ErrLength)
	}
	k := int32(0) // clusters so far
	for n, c := range labels {
		if c < 0 || c > k {
			return fmt.Errorf("label %d of point %d, %d clusters before it: %w", c, n, k, ErrNotCanonical)
		}
		want := int(k) + 1
		if n == 0 {
			want = 0
		}
		if len(e[n]) != want {
			return fmt.Errorf("energy row %d has %d candidates, want %d: %w", n, len(e[n]), want, ErrLength)
		}
		for j, v := range e[n] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("energy of point %d, candidate %d is %v: %w", n, j, v, ErrNotFinite)
			}
		}
		if c == k {
			k++
		}
	}
	return nil
}

// LogProb returns the log-probability in nats of canonical labels [N] under the policy P_F (paper,
// eq:forward_clustering and eq:prob_trajectory): at each point a softmax of the negative energies over the candidates.
//
//	log p(c|x) = Σ_{n=2..N} log softmax_k(−E[n,k])[c_n]
//
// It belongs to one data order: the constant log 1/N! for a random order is left out. One point gives 0. It returns
// ErrTooFew for no points, ErrLength if e does not have the shape that labels need, ErrNotCanonical, ErrNotFinite.
func LogProb(e EnergyTable, labels []int32) (float64, error) {
	if len(labels) == 0 {
		return 0, fmt.Errorf("log-probability of no labels: %w", ErrTooFew)
	}
	if err := e.check(labels); err != nil {
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
