package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Policy chooses the slot of a sequence's next point.
type Policy interface {
	// choose gets the sequence, the step (0-based position in the sequence's order), the point's index in its set and the
	// log-probabilities of its K_n+1 candidates.
	choose(sequence, step, point int, logProbs []float64) (int, error)
}

// Greedy takes the most probable candidate at each step, the lowest slot among equals.
type Greedy struct{}

func (Greedy) choose(_, _, _ int, logProbs []float64) (int, error) {
	best := 0
	for k, p := range logProbs {
		if p > logProbs[best] {
			best = k
		}
	}
	return best, nil
}

// Ancestral draws each label from the policy P_F by inversion.
type Ancestral struct {
	// Uniforms holds one number in [0,1) a sequence and step, [S,N].
	Uniforms []float64
	Steps    int // N
}

func (a Ancestral) choose(sequence, step, _ int, logProbs []float64) (int, error) {
	u := a.Uniforms[sequence*a.Steps+step]
	for k, p := range logProbs {
		if u -= math.Exp(p); u < 0 {
			return k, nil
		}
	}
	return len(logProbs) - 1, nil // rounding left a sliver above the last candidate
}

// Given follows known labels, so that a run returns their log-probability. Labels [Sets][N] are those of the sets' points
// in the points' own order and need not be canonical: a sequence in another order renumbers them as it meets them.
type Given struct {
	Labels [][]int32
	seen   []map[int32]int // per sequence: the slot of each label met so far
	set    func(sequence int) int
}

func (g *Given) choose(sequence, _, point int, logProbs []float64) (int, error) {
	label := g.Labels[g.set(sequence)][point]
	slot, ok := g.seen[sequence][label]
	if !ok {
		slot = len(g.seen[sequence])
		g.seen[sequence][label] = slot
	}
	if slot >= len(logProbs) {
		return 0, fmt.Errorf("sequence %d: label %d of point %d has slot %d of %d", sequence, label, point, slot, len(logProbs))
	}
	return slot, nil
}

// NewAncestral draws the uniforms of S sequences of N steps from rng, on the host, so that every backend sees the same.
func NewAncestral(rng *rand.Rand, sequences, steps int) Ancestral {
	uniforms := make([]float64, sequences*steps)
	for i := range uniforms {
		uniforms[i] = rng.Float64()
	}
	return Ancestral{Uniforms: uniforms, Steps: steps}
}
