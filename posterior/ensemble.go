package posterior

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/gfncp/gfncp/metrics"
)

// Ensemble are independent chains on the posterior of the partition of one set. Each of their sweeps is one of Gibbs
// sampling, some split-merge proposals, and a draw of what the Frame leaves unknown. Chains from different starts that
// agree are a sign of convergence (Draws.Convergence).
type Ensemble struct {
	chains []*Chain
	rngs   []*rand.Rand
}

// proposals is the number of split-merge proposals a sweep: together they cost about as much as the sweep.
const proposals = 5

// NewEnsemble returns one chain for each start [N], with the rng of the same index, of points x [N·D] (row-major),
// measured in the given frame, which only a Gaussian can have unknown. Errors are those of NewChain; there must be a
// start, and an rng for each.
func NewEnsemble(
	model Likelihood, prior CRP, frame Frame, x []float64, starts [][]int32, rngs []*rand.Rand,
) (*Ensemble, error) {
	if len(starts) == 0 || len(rngs) != len(starts) {
		return nil, fmt.Errorf("%d chains with %d streams: %w", len(starts), len(rngs), metrics.ErrLength)
	}
	e := &Ensemble{rngs: rngs}
	for _, start := range starts {
		c, err := NewChain(model, prior, x, start)
		if err != nil {
			return nil, err
		}
		if frame != (Frame{}) {
			if err := c.enframe(frame); err != nil {
				return nil, err
			}
		}
		e.chains = append(e.chains, c)
	}
	return e, nil
}

// NewSelectingEnsemble is NewEnsemble where the law of points x [N·P], whose mean is 0, is unknown up to a Selection,
// which every sweep draws, too. Errors are also those of Selection.Validate.
func NewSelectingEnsemble(
	s *Selection, prior CRP, x []float64, starts [][]int32, rngs []*rand.Rand,
) (*Ensemble, error) {
	if len(starts) == 0 || len(rngs) != len(starts) {
		return nil, fmt.Errorf("%d chains with %d streams: %w", len(starts), len(rngs), metrics.ErrLength)
	}
	n, err := s.check(x)
	if err != nil {
		return nil, err
	}
	rows := project(x, s.Directions)
	evidence := newEvidence(s, x, rows, n)
	e := &Ensemble{rngs: rngs}
	for _, start := range starts {
		c, err := newSelectingChain(evidence, prior, x, rows, start)
		if err != nil {
			return nil, err
		}
		e.chains = append(e.chains, c)
	}
	return e, nil
}

// Draws are what M chains went through in S sweeps each.
type Draws struct {
	// Samples are partitions at even distances in the sweeps, chain by chain; LogProb is Chain.LogPosterior.
	Samples []Sample
	// States are the samples with the laws that they were drawn under.
	States       []State
	K            [][]float64 // [M][S], number of clusters
	LogPosterior [][]float64 // [M][S], in nats, up to a constant
	Factor       [][]float64 // [M][S], the Frame's factor; 1 if it is known
}

// Run lets every chain, beside the others, go on by some sweeps, at least 1, and keeps the given number of samples,
// or as many as there are sweeps. Equal streams give equal draws on any number of cores. When ctx ends Run returns
// its error before the next few points; the ensemble is of no use then.
func (e *Ensemble) Run(ctx context.Context, sweeps, keep int) (*Draws, error) {
	if sweeps < 1 || keep < 0 {
		return nil, fmt.Errorf("%d sweeps that keep %d samples: %w", sweeps, keep, metrics.ErrTooFew)
	}
	m := len(e.chains)
	d := &Draws{K: make([][]float64, m), LogPosterior: make([][]float64, m), Factor: make([][]float64, m)}
	samples, states, faults := make([][]Sample, m), make([][]State, m), make([]error, m)
	var running sync.WaitGroup
	for i, c := range e.chains {
		share := min(sweeps, keep*(i+1)/m-keep*i/m)
		running.Go(func() {
			for s := range sweeps {
				if faults[i] = c.advance(ctx, e.rngs[i]); faults[i] != nil {
					return
				}
				p := c.LogPosterior()
				d.K[i] = append(d.K[i], float64(len(c.size)))
				d.LogPosterior[i] = append(d.LogPosterior[i], p)
				d.Factor[i] = append(d.Factor[i], c.Factor())
				if (s+1)*share/sweeps > s*share/sweeps {
					samples[i] = append(samples[i], Sample{Labels: c.Labels(), LogProb: p})
					states[i] = append(states[i], c.state())
				}
			}
		})
	}
	running.Wait()
	for i, some := range samples {
		d.Samples, d.States = append(d.Samples, some...), append(d.States, states[i]...)
	}
	return d, cmp.Or(faults...)
}

// checkEvery is the number of points between two looks at the context.
const checkEvery = 256

// advance does one sweep of an ensemble's chain.
func (c *Chain) advance(ctx context.Context, rng *rand.Rand) error {
	for i := range c.cluster {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.step(rng, i)
	}
	for range proposals {
		c.SplitMerge(rng)
	}
	c.reframe(rng)
	c.reselect(rng)
	return nil
}

// KPosterior returns P(K) over all sweeps of all chains, K rising.
func (d *Draws) KPosterior() []KProb {
	counts, total := map[int]int{}, 0
	for _, chain := range d.K {
		for _, k := range chain {
			counts[int(k)]++
		}
		total += len(chain)
	}
	return kLaw(counts, total)
}

// Convergence says how well chains agree and how much their draws are worth.
type Convergence struct {
	RHatK            float64 `json:"r_hat_k"`
	RHatLogPosterior float64 `json:"r_hat_log_posterior"`
	ESSK             float64 `json:"ess_k"`
	ESSLogPosterior  float64 `json:"ess_log_posterior"`
}

// Agreed is the potential scale reduction below which chains count as one.
const Agreed = 1.05

// Converged reports whether both potential scale reductions are below Agreed and both effective sample sizes at least
// minSize, a number such as 400.
func (c Convergence) Converged(minSize float64) bool {
	return c.RHatK < Agreed && c.RHatLogPosterior < Agreed && min(c.ESSK, c.ESSLogPosterior) >= minSize
}

// Convergence returns metrics.RHat and metrics.EffectiveSize of K and of the log-posterior; their errors.
func (d *Draws) Convergence() (c Convergence, err error) {
	var faults [4]error
	c.RHatK, faults[0] = metrics.RHat(d.K)
	c.RHatLogPosterior, faults[1] = metrics.RHat(d.LogPosterior)
	c.ESSK, faults[2] = metrics.EffectiveSize(d.K)
	c.ESSLogPosterior, faults[3] = metrics.EffectiveSize(d.LogPosterior)
	return c, errors.Join(faults[:]...)
}
