package clustering

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// groupCells bounds sequences × points of one decoding run: what a run holds beside its labels (uniforms, entropies,
// orders, states) stays below some 100 MB whatever N and S are.
const groupCells = 1 << 22

// first returns a run's first labelling with its log-probability.
func first(r *sampling.Result, err error) (posterior.Sample, error) {
	if err != nil {
		return posterior.Sample{}, err
	}
	canon, _ := metrics.Canonical(r.Labels[0])
	return posterior.Sample{Labels: canon, LogProb: r.LogProb[0]}, nil
}

// sample draws s partitions in the given order, group of them at a time; group does not change the draws.
func sample(sets *sampling.Sets, order []int32, s, group int, rng *rand.Rand) ([]posterior.Sample, error) {
	samples := make([]posterior.Sample, 0, s)
	if hear, groups := sets.Progress, (s+group-1)/group; hear != nil && groups > 1 {
		sets.Progress = func(done, total int) { hear(len(samples)/group*total+done, groups*total) }
	}
	for len(samples) < s {
		sequences := slices.Repeat([]sampling.Sequence{{Order: order}}, min(s-len(samples), group))
		r, err := run(sets, sequences, sampling.NewAncestral(rng, len(sequences), sets.N))
		if err != nil {
			return nil, err
		}
		for i, labels := range r.Labels {
			canon, _ := metrics.Canonical(labels)
			samples = append(samples, posterior.Sample{Labels: canon, LogProb: r.LogProb[i]})
		}
	}
	return samples, nil
}

// groupSize is the number of sequences of n points that are decoded side by side.
func groupSize(n int) int { return max(1, groupCells/n) }

// run decodes and refuses a result that is not finite.
func run(sets *sampling.Sets, sequences []sampling.Sequence, policy sampling.Policy) (*sampling.Result, error) {
	return finite(sets.Run(sequences, policy))
}

// finite passes a run's result on unless it holds a number that is not finite.
func finite(r *sampling.Result, err error) (*sampling.Result, error) {
	if errors.Is(err, metrics.ErrNotFinite) {
		return nil, notFinite(err.Error())
	}
	if err != nil {
		return nil, err
	}
	for i, p := range r.LogProb {
		if !isFinite(p) || !isFinite(r.Final[i]) {
			return nil, notFinite(fmt.Sprintf("log-probability %v, last energy %v", p, r.Final[i]))
		}
		for n, h := range r.Entropy[i] {
			if !isFinite(h) {
				return nil, notFinite(fmt.Sprintf("the decision on point %d has entropy %v", n+1, h))
			}
		}
	}
	return r, nil
}

// notFinite is the error for energies that are NaN or infinite: the points lie far outside of what the network knows.
func notFinite(what string) error {
	e := usererr.New("use another Scale, or leave out the farthest points",
		"the network's energies overflow (%s)", what)
	e.Err = metrics.ErrNotFinite
	return e
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
