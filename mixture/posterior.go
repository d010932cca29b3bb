package mixture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// counted tells for each cluster of canonical labels whether it counts in K: all but clusters of outlying rows, which
// have fewer than 3 rows or less than a 200th of all. The largest cluster always counts. Where the user limits the
// number of clusters, all count.
func (k *knowledge) counted(labels []int32) []bool {
	number := slices.Max(labels) + 1
	sizes, counted := make([]float64, number), make([]bool, number)
	for _, label := range labels {
		sizes[label]++
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
	Disputed    []int     // rows, rising, whose given label the table alone contradicts
	Copies      int       // exact copies of rows that were left out, see Sample
}

// Sample draws from the posterior of the partitions of a table. It ends when the chains agree or the budget of work is
// spent; then one seed gives the same bytes on any number of cores. A deadline of the context ends it too, and the
// answer says so. If the context is cancelled it returns the context's error.
//
// Weights repeat rows: a row of weight 3 is sampled as three equal rows, and Labels and Draws have one of them. The
// model takes numbers for continuous, so copies of a row would be clusters without a width: if the numbers are not
// rounded they count as one row. Without weights this holds if many rows are exact copies, and the options know nothing
// of single rows.
func Sample(ctx context.Context, table Table, options Options) (*Posterior, error) {
	if err := table.Validate(); err != nil {
		return nil, err
	}
	if options.Weights != nil { // sample reads what is known of the repeated rows
		if _, err := options.know(table.Rows); err != nil {
			return nil, err
		}
	}
	s := options.represent(table)
	options = s.Options
	options.Weights = nil
	p, err := sample(ctx, s.Table, options)
	if err == nil {
		s.answer(p)
	}
	return p, err
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
	if err := e.chooseLaw(ctx, table, options.Seed); err != nil {
		return nil, err
	}
	r = e.encode(table, true)
	r.known = known
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
	if len(known.units) == 0 && !known.limited() {
		p.Checks = p.Fit.check(table, p.Counted, options.Seed)
		p.Checks.Ties = e.ties(table, p.Labels, p.Counted)
	}
	if options.Given != nil {
		p.Disputed, err = options.disputed(ctx, r, p.Labels)
	}
	return p, err
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
	if len(r.known.units) == 0 { // else rows that are together or apart could move
		smooth, err := posterior.Smooth(p.Labels, p.Draws)
		if err != nil {
			return 0, err
		}
		if r.known.numberOf(smooth) == p.Number {
			p.Labels = smooth
		}
	}
	p.Counted = r.known.counted(p.Labels)
	return degrees[floats.MaxIdx(tails[:])], nil
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
