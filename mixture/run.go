package mixture

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
)

// Ending tells what ended a run.
type Ending string

// The endings of a run.
const (
	Agreement Ending = "agreement" // the chains agree, see Convergence.Agree
	Budget    Ending = "budget"    // Options.Work
	Deadline  Ending = "deadline"  // of the caller's context: the answer depends on the machine
)

// The chains agree when R-hat is at most MostRHat and at least LeastDraws draws are effective, of K and of the log
// density.
const (
	MostRHat   = 1.05
	LeastDraws = 200.0
)

// Convergence tells how well the kept draws of the chains agree.
type Convergence struct {
	RHatNumber, RHatDensity   float64 // split R-hat of K and of the log density
	DrawsNumber, DrawsDensity float64 // effective draws
}

// Alike reports whether both R-hats are at most MostRHat.
func (c Convergence) Alike() bool { return max(c.RHatNumber, c.RHatDensity) <= MostRHat }

// Agree reports whether the chains are alike, with at least LeastDraws effective draws of both.
func (c Convergence) Agree() bool {
	return c.Alike() && min(c.DrawsNumber, c.DrawsDensity) >= LeastDraws
}

// Chains is the number of chains of a run.
const Chains = len(startSizes)

const (
	usualDraws   = 1000
	hotSweeps    = 60
	firstSweeps  = 240 // before chains are compared for the first time, at most a third of the budget
	agreedSweeps = 800 // before chains may end by agreement; less if an eighth of the budget is less
	leastSweeps  = 12  // that an answer needs
	mostRestarts = 2
)

// usualWork returns how many rows × sweeps take ten seconds of one core. By BenchmarkSweep a sweep takes about
// 60 + 1.5·D² + .13·D³ µs, and each row .5 + .13·D µs more, .13 µs for each category, and .27 µs for each cell that is
// drawn.
func usualWork(r *em.Rows) float64 {
	const seconds, sweep, row, column, cell, square, cubic = 10, 60e-6, 0.5e-6, 0.13e-6, 0.27e-6, 1.5e-6, 1.3e-7
	n, d := float64(r.N), float64(r.Dim())
	perRow := row + column*(d+float64(r.Variables())) + cell*float64(len(r.Rounded))
	return seconds * n / (n*perRow + sweep + d*d*(square+cubic*d))
}

// traced is a chain and what is kept of it.
type traced struct {
	*chain
	states []state   // of each sweep
	draws  [][]int32 // labels, of every thin-th sweep
}

// state is what is kept of a sweep.
type state struct {
	clusters, number int     // with clusters of outlying rows; without them, K
	density          float64 // Σ log density
	evidence         float64 // log density with Schwarz's penalty
	tail             int     // index into degrees
}

// run is several chains of one table.
type run struct {
	chains [Chains]traced
	thin   int
	most   int // partitions that are kept of a chain
	hot    int
}

func newRun(r *em.Rows, known *knowledge, o Options) *run {
	const mostLabels = 50_000_000
	run := &run{thin: 1, most: max(min(o.Draws, mostLabels/r.N)/Chains, 2), hot: hotSweeps}
	for c := range run.chains {
		rng := em.NewRandom(o.Seed, uint64(c))
		labels, tail := newStart(r, known, c, rng)
		run.chains[c].chain = newChain(r, known, labels, tail, rng)
	}
	return run
}

// advance brings all chains to a total of sweeps. They stay close to each other even on few cores, so a deadline finds
// them equally long. It returns the context's error if that ended it.
func (r *run) advance(ctx context.Context, sweeps int) error {
	const side = 20
	for done := len(r.chains[0].states); done < sweeps; {
		done = min(done+side, sweeps)
		var group errgroup.Group
		for i := range r.chains {
			group.Go(func() error {
				for c := &r.chains[i]; len(c.states) < done; {
					if err := ctx.Err(); err != nil {
						return err
					}
					r.step(c)
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// step takes one sweep of a chain.
func (r *run) step(c *traced) {
	c.sweep(len(c.states) < r.hot)
	_, number := c.known.counted(c.labels)
	c.states = append(c.states, state{len(c.clusters), number, c.logDensity, c.penalized(), c.tail})
	if len(c.states)%r.thin == 0 {
		c.draws = append(c.draws, slices.Clone(c.labels))
	}
}

// trim drops the sweeps that chains are ahead of the slowest one, and every other partition until few enough are left.
// It returns the number of sweeps.
func (r *run) trim() (sweeps int) {
	sweeps = len(r.chains[0].states)
	for _, c := range r.chains {
		sweeps = min(sweeps, len(c.states))
	}
	for i := range r.chains {
		c := &r.chains[i]
		c.states, c.draws = c.states[:sweeps], c.draws[:sweeps/r.thin]
	}
	for (sweeps-r.discarded())/r.thin > r.most {
		r.thin *= 2
		for j := range r.chains {
			c := &r.chains[j]
			for i := range len(c.draws) / 2 {
				c.draws[i] = c.draws[2*i+1]
			}
			c.draws = c.draws[:len(c.draws)/2]
		}
	}
	return sweeps
}

// discarded returns how many sweeps are left out at the beginning.
func (r *run) discarded() int {
	sweeps := len(r.chains[0].states)
	return max(min(r.hot, sweeps/2), sweeps/3)
}

// restart restarts chains that are at far worse modes from the best chain's partition. It discards the draws of all
// chains. It returns false if no chain is that bad.
func (r *run) restart() bool {
	const worse = 20 // nats of evidence
	means := make([]float64, Chains)
	for c, chain := range r.chains {
		kept := chain.states[r.discarded():]
		for _, s := range kept {
			means[c] += s.evidence / float64(len(kept))
		}
	}
	best := floats.MaxIdx(means)
	if floats.Min(means) > means[best]-worse {
		return false
	}
	from := r.chains[best]
	for c := range r.chains {
		chain := &r.chains[c]
		if means[c] < means[best]-worse {
			chain.chain = newChain(from.rows, from.known, slices.Clone(from.labels), from.tail, chain.rng)
		}
		chain.states, chain.draws = nil, nil
	}
	r.thin = 1
	return true
}

// compare returns the convergence of the chains. It adds a little noise to K, so that constant chains can be compared,
// and chains agree whose P(K) differ by only 0.01.
func (r *run) compare() (c Convergence, err error) {
	const blur = 0.1
	rng := em.NewRandom(0, 0x626c7572)
	number, density := make([][]float64, Chains), make([][]float64, Chains)
	for c, chain := range r.chains {
		for _, s := range chain.states[r.discarded():] {
			number[c] = append(number[c], float64(s.number)+blur*rng.NormFloat64())
			density[c] = append(density[c], s.density)
		}
	}
	var errs [4]error
	c.RHatNumber, errs[0] = metrics.RHat(number)
	c.RHatDensity, errs[1] = metrics.RHat(density)
	c.DrawsNumber, errs[2] = metrics.EffectiveSize(number)
	c.DrawsDensity, errs[3] = metrics.EffectiveSize(density)
	return c, errors.Join(errs[:]...)
}

// finish runs the chains in growing blocks until they agree, or the budget or the context's deadline ends them. It
// fills the sweeps, the convergence and the ending of p.
func (r *run) finish(ctx context.Context, o Options, p *Posterior) (err error) {
	n := r.chains[0].rows.N
	mostSweeps := max(leastSweeps, int(o.Work/float64(n*Chains)))
	r.hot = min(hotSweeps, mostSweeps/3)
	var earlier *run // before a restart
	var were Posterior
	first := max(leastSweeps, min(firstSweeps, mostSweeps/3))
	for target := first; p.Ending == ""; target = min(p.Sweeps+p.Sweeps/2, mostSweeps) {
		stopped := r.advance(ctx, target)
		if stopped != nil && !errors.Is(stopped, context.DeadlineExceeded) {
			return stopped
		}
		if p.Sweeps = r.trim(); p.Sweeps < leastSweeps {
			if earlier != nil { // the time ended the new draws too soon
				*r, *p = *earlier, were
				p.Ending = Deadline
				return nil
			}
			return fmt.Errorf("the time was over after %d sweeps of %d rows, want %d: %w", p.Sweeps, n, leastSweeps,
				stopped)
		}
		if p.Convergence, err = r.compare(); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(p.Sweeps, mostSweeps)
		}
		now := *r
		early := p.Sweeps >= first && mostSweeps > 2*p.Sweeps && p.Restarts < mostRestarts
		switch {
		case stopped == nil && early && !p.Convergence.Alike() && r.restart():
			earlier, were = &now, *p
			mostSweeps -= p.Sweeps
			p.Sweeps = first * 2 / 3 // so that the next block is as the first one
			p.Restarts++
		case stopped != nil:
			p.Ending = Deadline
		case p.Convergence.Agree() && p.Sweeps >= min(agreedSweeps, mostSweeps/8):
			p.Ending = Agreement
		case p.Sweeps >= mostSweeps:
			p.Ending = Budget
		}
	}
	return nil
}
