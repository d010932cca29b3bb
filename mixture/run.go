package mixture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/gfncp/gfncp/metrics"
)

// Ending tells what ended a run.
type Ending string

// The endings of a run.
const (
	Agreement Ending = "agreement" // R-hat of K and of the log density at most MostRHat, LeastDraws effective draws
	Budget    Ending = "budget"    // Options.Work
	Deadline  Ending = "deadline"  // the caller's context: another machine would have come further
)

// The chains agree when R-hat is at most MostRHat and at least LeastDraws draws are effective.
const (
	MostRHat   = 1.05
	LeastDraws = 200.0
)

// Convergence is how far the chains agree, on the draws that are kept.
type Convergence struct {
	RHatNumber, RHatDensity   float64 // split R-hat of K and of the log density
	DrawsNumber, DrawsDensity float64 // effective draws
}

// Agree reports whether the chains agree: whether both R-hats are at most MostRHat.
func (c Convergence) Agree() bool { return max(c.RHatNumber, c.RHatDensity) <= MostRHat }

// suffices reports whether the chains agree and have drawn enough.
func (c Convergence) suffices() bool {
	return c.Agree() && min(c.DrawsNumber, c.DrawsDensity) >= LeastDraws
}

const (
	hotSweeps   = 60
	firstSweeps = 240 // before chains are compared for the first time
	leastSweeps = 12  // that an answer needs
)

// trace is what is kept of a chain.
type trace struct {
	number, density []float64 // of each sweep: clusters that are no outlying rows; Σ log density
	tails           []uint8   // of each sweep, index into degrees
	labels          [][]int32 // of every thin-th sweep
}

// run is several chains of one table.
type run struct {
	chains []*chain
	traces []trace
	thin   int
	most   int // partitions that are kept of a chain
	cores  int
	hot    int
}

func newRun(r *rows, o Options) *run {
	const mostLabels = 50_000_000
	most := max(min(o.Draws, mostLabels/r.n), 2*o.Chains) / o.Chains
	run := &run{traces: make([]trace, o.Chains), thin: 1, most: most, cores: o.Cores, hot: hotSweeps}
	for c := range o.Chains {
		rng := newRandom(o.Seed, uint64(c))
		labels, tail := newStart(r, c, rng)
		run.chains = append(run.chains, newChain(r, numberPrior(r.known.mostClusters()), labels, tail, rng))
	}
	return run
}

// advance takes all chains to a total of sweeps, side by side even where cores are few: a deadline finds them near one
// another. It returns the context's error if that ended it.
func (r *run) advance(ctx context.Context, sweeps int) error {
	const side = 20
	for done := len(r.traces[0].number); done < sweeps; {
		done = min(done+side, sweeps)
		var group errgroup.Group
		group.SetLimit(r.cores)
		for c, chain := range r.chains {
			group.Go(func() error {
				for len(r.traces[c].number) < done {
					if err := ctx.Err(); err != nil {
						return err
					}
					r.step(chain, &r.traces[c])
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
func (r *run) step(c *chain, t *trace) {
	c.sweep(len(t.number) < r.hot)
	t.number = append(t.number, float64(c.mainClusters()))
	t.density = append(t.density, c.logDensity)
	t.tails = append(t.tails, uint8(c.tail))
	if len(t.number)%r.thin == 0 {
		t.labels = append(t.labels, append([]int32{}, c.labels...))
	}
}

// mainClusters counts the clusters that are more than outlying rows; it is at least 1.
func (c *chain) mainClusters() int {
	count := 0
	for _, k := range c.clusters {
		if k.n >= c.rows.leastRows() {
			count++
		}
	}
	return max(count, 1)
}

// leastRows is LeastRows of rows as counted; 0 where the user tells the number of clusters.
func (r *rows) leastRows() float64 {
	if r.known.limited() {
		return 0
	}
	return float64(LeastRows(int(r.total())))
}

// LeastRows is the number of rows below which a cluster of a table of n rows is outlying rows, not counted in K.
func LeastRows(n int) int { return max(3, n/200) }

// trim forgets every other partition until few enough are kept, and what chains are ahead of the slowest.
func (r *run) trim() (sweeps int) {
	sweeps = math.MaxInt
	for _, t := range r.traces {
		sweeps = min(sweeps, len(t.number))
	}
	for c := range r.traces {
		t := &r.traces[c]
		t.number, t.density, t.labels = t.number[:sweeps], t.density[:sweeps], t.labels[:sweeps/r.thin]
		t.tails = t.tails[:sweeps]
	}
	for (sweeps-r.discard(sweeps))/r.thin > r.most {
		r.thin *= 2
		for c := range r.traces {
			t := &r.traces[c]
			for i := range len(t.labels) / 2 {
				t.labels[i] = t.labels[2*i+1]
			}
			t.labels = t.labels[:len(t.labels)/2]
		}
	}
	return sweeps
}

// discard is how many of sweeps are left out at the beginning.
func (r *run) discard(sweeps int) int { return max(min(r.hot, sweeps/2), sweeps/3) }

// modalDegrees is the most frequent ν of the draws that are kept.
func (r *run) modalDegrees(sweeps int) float64 {
	var counts [len(degrees)]int
	mode := 0
	for _, t := range r.traces {
		for _, at := range t.tails[r.discard(sweeps):sweeps] {
			counts[at]++
		}
	}
	for at, count := range counts {
		if count > counts[mode] {
			mode = at
		}
	}
	return degrees[mode]
}

// compare tells how far the chains agree after sweeps. K is blurred a little: chains that differ by a hundredth of
// P(K) agree, and those that stay at one K are compared, too.
func (r *run) compare(sweeps int) (c Convergence, err error) {
	const blur = 0.1
	var number, density [][]float64
	from, rng := r.discard(sweeps), newRandom(0, 0x626c7572)
	for _, t := range r.traces {
		blurred := slices.Clone(t.number[from:])
		for i := range blurred {
			blurred[i] += blur * rng.NormFloat64()
		}
		number, density = append(number, blurred), append(density, t.density[from:])
	}
	var errs [4]error
	c.RHatNumber, errs[0] = metrics.RHat(number)
	c.RHatDensity, errs[1] = metrics.RHat(density)
	c.DrawsNumber, errs[2] = metrics.EffectiveSize(number)
	c.DrawsDensity, errs[3] = metrics.EffectiveSize(density)
	return c, errors.Join(errs[:]...)
}

// finish runs the chains in growing blocks until they agree, or the budget or the context's deadline ends them.
func (r *run) finish(ctx context.Context, o Options) (c Convergence, sweeps int, ending Ending, err error) {
	n := r.chains[0].rows.n
	mostSweeps := max(leastSweeps, int(o.Work/float64(n*len(r.chains))))
	r.hot = min(hotSweeps, mostSweeps/3)
	target := min(firstSweeps, mostSweeps)
	for {
		stopped := r.advance(ctx, target)
		if stopped != nil && !errors.Is(stopped, context.DeadlineExceeded) {
			return c, 0, "", stopped
		}
		sweeps = r.trim()
		if sweeps < leastSweeps {
			return c, 0, "", fmt.Errorf("the time was over after %d sweeps of %d rows, want %d: %w",
				sweeps, n, leastSweeps, stopped)
		}
		if c, err = r.compare(sweeps); err != nil {
			return c, 0, "", err
		}
		if o.Progress != nil {
			o.Progress(Progress{sweeps, mostSweeps, c})
		}
		switch {
		case stopped != nil:
			return c, sweeps, Deadline, nil
		case c.suffices():
			return c, sweeps, Agreement, nil
		case sweeps >= mostSweeps:
			return c, sweeps, Budget, nil
		}
		target = min(sweeps+sweeps/2, mostSweeps)
	}
}
