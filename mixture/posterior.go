package mixture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
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

// Convergence tells how far the chains agree on the draws that are kept.
type Convergence struct {
	RHatNumber, RHatDensity   float64 // split R-hat of K and of the log density
	DrawsNumber, DrawsDensity float64 // effective draws
}

// Agree reports whether the chains agree: whether both R-hats are at most MostRHat.
func (c Convergence) Agree() bool { return max(c.RHatNumber, c.RHatDensity) <= MostRHat }

// Chains is the number of chains of a run.
const Chains = len(startSizes)

const (
	usualDraws   = 1000
	hotSweeps    = 60
	firstSweeps  = 240 // before chains are compared for the first time
	leastSweeps  = 12  // that an answer needs
	mostRestarts = 2
)

// traced is a chain and what is kept of it.
type traced struct {
	*chain
	states []state   // of each sweep
	draws  [][]int32 // labels, of every thin-th sweep
}

// state is what is kept of a sweep.
type state struct {
	number, density float64 // clusters that are no outlying rows; Σ log density
	evidence        float64 // log density with Schwarz's penalty
	tail            int     // index into degrees
}

// run is several chains of one table.
type run struct {
	chains [Chains]*traced
	thin   int
	most   int // partitions that are kept of a chain
	hot    int
}

func newRun(r *rows, o Options) *run {
	const mostLabels = 50_000_000
	run := &run{thin: 1, most: max(min(o.Draws, mostLabels/r.n)/Chains, 2), hot: hotSweeps}
	for c := range run.chains {
		rng := newRandom(o.Seed, uint64(c))
		labels, tail := newStart(r, c, rng)
		run.chains[c] = &traced{chain: newChain(r, labels, tail, rng)}
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
		for _, c := range r.chains {
			group.Go(func() error {
				for len(c.states) < done {
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
	c.states = append(c.states, state{
		float64(c.rows.known.numberOf(c.labels)), c.logDensity, c.penalized(), c.tail,
	})
	if len(c.states)%r.thin == 0 {
		c.draws = append(c.draws, slices.Clone(c.labels))
	}
}

// counted tells for each cluster of canonical labels whether it counts in K: all but clusters of outlying rows, which
// have fewer than 3 rows or less than a 200th of all. The largest cluster always counts. Where the user limits the
// number of clusters, all count.
func (k *knowledge) counted(labels []int32) []bool {
	number := slices.Max(labels) + 1
	sizes, counted := make([]float64, number), make([]bool, number)
	for i, label := range labels {
		sizes[label] += k.count(int32(i))
	}
	least := min(max(3, math.Floor(floats.Sum(sizes)/200)), floats.Max(sizes))
	for label, size := range sizes {
		counted[label] = size >= least || k.limited()
	}
	return counted
}

// numberOf returns K of canonical labels: the number of clusters that count; it is at least 1.
func (k *knowledge) numberOf(labels []int32) (number int) {
	for _, counts := range k.counted(labels) {
		if counts {
			number++
		}
	}
	return number
}

// trim drops the sweeps that chains are ahead of the slowest one, and every other partition until few enough are left.
// It returns the number of sweeps.
func (r *run) trim() (sweeps int) {
	sweeps = len(r.chains[0].states)
	for _, c := range r.chains {
		sweeps = min(sweeps, len(c.states))
	}
	for _, c := range r.chains {
		c.states, c.draws = c.states[:sweeps], c.draws[:sweeps/r.thin]
	}
	for (sweeps-r.discarded())/r.thin > r.most {
		r.thin *= 2
		for _, c := range r.chains {
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

// mayRestart reports whether chains disagree after their first sweeps and there is room to draw anew: half of the
// budget, and no deadline.
func (p *Posterior) mayRestart(ctx context.Context, mostSweeps int) bool {
	_, hasDeadline := ctx.Deadline()
	return !p.Convergence.Agree() && p.Restarts < mostRestarts && p.Sweeps >= firstSweeps && mostSweeps > 2*p.Sweeps &&
		!hasDeadline
}

// restart lets chains that stay at far worse modes go on from the best chain's partition. All chains then begin their
// draws anew. It returns false if no chain is that bad.
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
	for c, chain := range r.chains {
		if means[c] < means[best]-worse {
			chain.chain = newChain(from.rows, slices.Clone(from.labels), from.tail, chain.rng)
		}
		chain.states, chain.draws = nil, nil
	}
	r.thin = 1
	return true
}

// compare returns how far the chains agree. It adds a little noise to K, so that chains agree if their P(K) differ by a
// hundredth, and constant chains can be compared.
func (r *run) compare() (c Convergence, err error) {
	const blur = 0.1
	rng := newRandom(0, 0x626c7572)
	number, density := make([][]float64, Chains), make([][]float64, Chains)
	for c, chain := range r.chains {
		for _, s := range chain.states[r.discarded():] {
			number[c] = append(number[c], s.number+blur*rng.NormFloat64())
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
	n := r.chains[0].rows.n
	mostSweeps := max(leastSweeps, int(o.Work/float64(n*Chains)))
	r.hot = min(hotSweeps, mostSweeps/3)
	for target := min(firstSweeps, mostSweeps); p.Ending == ""; target = min(p.Sweeps+p.Sweeps/2, mostSweeps) {
		stopped := r.advance(ctx, target)
		if stopped != nil && !errors.Is(stopped, context.DeadlineExceeded) {
			return stopped
		}
		if p.Sweeps = r.trim(); p.Sweeps < leastSweeps {
			return fmt.Errorf("the time was over after %d sweeps of %d rows, want %d: %w", p.Sweeps, n, leastSweeps,
				stopped)
		}
		if p.Convergence, err = r.compare(); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(Progress{p.Sweeps, mostSweeps, p.Convergence})
		}
		switch {
		case p.mayRestart(ctx, mostSweeps) && r.restart():
			mostSweeps -= p.Sweeps
			p.Sweeps = firstSweeps * 2 / 3 // so that the next block is as the first one
			p.Restarts++
		case stopped != nil:
			p.Ending = Deadline
		case p.Convergence.Agree() && min(p.Convergence.DrawsNumber, p.Convergence.DrawsDensity) >= LeastDraws:
			p.Ending = Agreement
		case p.Sweeps >= mostSweeps:
			p.Ending = Budget
		}
	}
	return nil
}

// Posterior is the sampled posterior of a table's partitions.
type Posterior struct {
	Labels      []int32   // [N], the point estimate, canonical
	Counted     []bool    // [clusters of Labels], which count in K: all but clusters of outlying rows
	Number      int       // K, the clusters that count; the mode of NumberProbs
	NumberProbs []float64 // [Kmax+1], P(K), outlying rows left out
	Draws       [][]int32 // [S][N], partitions, canonical, chain after chain
	Convergence Convergence
	Sweeps      int // of each chain
	Ending      Ending
	Restarts    int       // how often chains at far worse modes began anew from the best chain, and all their draws
	Uses        []Use     // [D + Q], what became of each column: numbers first, then categories
	Rounded     []float64 // [D + Q], step of a column that is rounded, else 0
	Fit         *Fit      // the mixture of the clusters of Labels
	Checks      *Checks   // nil if the options say something about the clusters, which the checks would ignore
	Copies      int       // rows that are exact copies of others and were left out, see Sample
}

// Sample draws from the posterior of the partitions of a table. It ends when the chains agree or the budget of work is
// spent; then one seed gives the same bytes on any number of cores. A deadline of the context ends it too, and the
// answer says so. If the context is cancelled it returns the context's error.
//
// Copies of a row would be clusters without a width, as the model takes numbers for continuous. So if many rows are
// exact copies, and the options know nothing of single rows, copies share the label of one row that is sampled.
func Sample(ctx context.Context, table Table, options Options) (*Posterior, error) {
	if err := table.Validate(); err != nil {
		return nil, err
	}
	var of []int
	if options.Together == nil && options.Apart == nil && options.Given == nil && options.Weights == nil {
		table, of = table.distinct()
	}
	p, err := sample(ctx, table, options)
	if err != nil || of == nil {
		return p, err
	}
	p.Copies = len(of) - table.Rows
	copied := func(labels []int32) []int32 {
		all := make([]int32, len(of))
		for i, at := range of {
			all[i] = labels[at]
		}
		return all
	}
	p.Labels = copied(p.Labels)
	for i, labels := range p.Draws {
		p.Draws[i] = copied(labels)
	}
	return p, nil
}

func sample(ctx context.Context, table Table, options Options) (*Posterior, error) {
	known, err := options.know(table.Rows)
	if err != nil {
		return nil, err
	}
	e := fitEncoder(table)
	r := e.encode(table, true)
	if r.dim()+r.variables() == 0 {
		return nil, errors.New("no column has two different values: all rows are equal")
	}
	options.Work = cmp.Or(options.Work, usualWork(r))
	options.Draws = cmp.Or(options.Draws, usualDraws)
	if err := e.chooseLogs(ctx, table, options.Seed); err != nil {
		return nil, err
	}
	r = e.encode(table, true)
	r.known = known
	for _, gap := range r.gaps {
		if count := known.count(int32(gap.row)); count != 1 {
			return nil, usererr.New("give the row several times with weight 1",
				"row %d has a missing cell and weight %g", gap.row+1, count)
		}
	}
	run := newRun(r, options)
	p := &Posterior{Uses: e.uses, Rounded: e.rounded}
	for _, s := range e.Missing {
		for _, d := range s.Columns {
			p.Uses[d] += Use(fmt.Sprintf(", %g taken as missing", s.Value))
		}
	}
	if err := run.finish(ctx, options, p); err != nil {
		return nil, err
	}
	nu, err := p.estimate(run, r)
	if err != nil {
		return nil, err
	}
	p.Fit = newFit(table, e, fitEM(run.chains[0].rows, p.Labels, metrics.Clusters(p.Labels), nu))
	if len(known.units) == 0 && options.Weights == nil && !known.limited() {
		p.Checks = p.Fit.check(table, p.Counted, options.Seed)
		p.Checks.Ties = e.ties(table, p.Labels, p.Counted)
	}
	return p, nil
}

// estimate fills P(K), the draws and the point estimate: of the draws with the most probable K the one with the least
// expected variation of information, smoothed. It returns the most frequent ν.
func (p *Posterior) estimate(run *run, r *rows) (nu float64, err error) {
	from := run.discarded()
	var tails [len(degrees)]float64
	p.NumberProbs = make([]float64, MostClusters+1)
	for _, c := range run.chains {
		for _, s := range c.states[from:] {
			p.NumberProbs[int(s.number)]++
			tails[s.tail]++
		}
		p.Draws = append(p.Draws, c.draws[from/run.thin:]...)
	}
	p.Number = floats.MaxIdx(p.NumberProbs)
	for k := range p.NumberProbs {
		p.NumberProbs[k] /= float64(Chains * (p.Sweeps - from))
	}
	another := func(labels []int32) bool { return r.known.numberOf(labels) != p.Number }
	candidates := slices.DeleteFunc(slices.Clone(p.Draws), another)
	if len(candidates) == 0 { // thinning may have lost all draws with a rare mode
		candidates = p.Draws
	}
	few := int(max(12, min(100, math.Sqrt(3e7/float64(r.n)))))
	candidates = spaced(candidates, few)
	best, _, err := posterior.LossVI.PointEstimate(candidates, spaced(p.Draws, 2*few))
	if err != nil {
		return 0, err
	}
	p.Labels = candidates[best]
	p.Number = r.known.numberOf(p.Labels)
	if err := p.smooth(r); err != nil {
		return 0, err
	}
	p.Counted = r.known.counted(p.Labels)
	return degrees[floats.MaxIdx(tails[:])], nil
}

// smooth moves each row to the cluster of the estimate in which the draws have it most often, because a single draw is
// noisy. It changes nothing if some rows must be together or apart, or if K would change.
func (p *Posterior) smooth(r *rows) error {
	shares, err := posterior.Assignments(p.Labels, p.Draws)
	if err != nil || len(r.known.units) > 0 {
		return err
	}
	labels := make([]int32, r.n)
	for i, row := range shares {
		labels[i] = int32(floats.MaxIdx(row[:len(row)-1]))
	}
	labels, _ = metrics.Canonical(labels)
	if r.known.numberOf(labels) == p.Number {
		p.Labels = labels
	}
	return nil
}

// spaced returns evenly spaced draws, no more than most.
func spaced(draws [][]int32, most int) [][]int32 {
	if len(draws) <= most {
		return draws
	}
	out := make([][]int32, most)
	for i := range out {
		out[i] = draws[i*len(draws)/most]
	}
	return out
}
