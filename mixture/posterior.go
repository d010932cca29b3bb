package mixture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// Posterior is the sampled posterior of a table's partitions.
type Posterior struct {
	Labels      []int32   // [N], the point estimate, canonical
	Number      int       // K, its clusters that are more than outlying rows; the mode of NumberProbs
	NumberProbs []float64 // [Kmax+1], P(K), clusters with fewer than LeastRows rows left out
	Draws       [][]int32 // [S][N], partitions, canonical, chain after chain
	Convergence Convergence
	Sweeps      int // of each chain
	Ending      Ending
	Uses        []Use     // [D + Q], what became of each column: numbers first, then categories
	Rounded     []float64 // [D + Q], step of a column that is rounded, else 0
	Fit         *Fit      // the mixture of the clusters of Labels
}

// Sample draws from the posterior of the partitions of a table. It ends when the chains agree, or when a budget of work
// is over: one seed gives the same bytes for every number of cores. A deadline of the context ends it, too, and the
// answer says so; a cancelled context returns its error.
func Sample(ctx context.Context, table Table, options Options) (*Posterior, error) {
	if err := table.Validate(); err != nil {
		return nil, err
	}
	known, err := options.know(table.Rows)
	if err != nil {
		return nil, err
	}
	e := fitEncoder(table)
	r := e.encode(table, true)
	if r.dim()+r.variables() == 0 {
		return nil, errors.New("no column has two different values: all rows are equal")
	}
	o := options.withDefaults(r)
	if err := e.chooseLogs(ctx, table, o.Seed); err != nil {
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
	run := newRun(r, o)
	p := &Posterior{Uses: e.uses, Rounded: e.rounded}
	for _, s := range e.Missing {
		for _, d := range s.Columns {
			p.Uses[d] += Use(fmt.Sprintf(", %g taken as missing", s.Value))
		}
	}
	if p.Convergence, p.Sweeps, p.Ending, err = run.finish(ctx, o); err != nil {
		return nil, err
	}
	if err := p.estimate(run, r); err != nil {
		return nil, err
	}
	mixture := fitEM(run.chains[0].rows, p.Labels, metrics.Clusters(p.Labels), run.modalDegrees(p.Sweeps))
	p.Fit = newFit(table, e, mixture)
	return p, nil
}

// estimate fills P(K), the draws and the point estimate: the draw with the least expected variation of information
// among those with the mode of P(K), smoothed.
func (p *Posterior) estimate(run *run, r *rows) error {
	from := run.discard(p.Sweeps)
	p.NumberProbs = make([]float64, mostComponents+1)
	for _, c := range run.chains {
		for _, s := range c.states[from:] {
			p.NumberProbs[int(s.number)]++
		}
		p.Draws = append(p.Draws, c.draws[from/run.thin:]...)
	}
	p.Number = floats.MaxIdx(p.NumberProbs)
	for k := range p.NumberProbs {
		p.NumberProbs[k] /= float64(Chains * (p.Sweeps - from))
	}
	another := func(labels []int32) bool { return r.numberOf(labels) != p.Number }
	candidates := slices.DeleteFunc(slices.Clone(p.Draws), another)
	if len(candidates) == 0 { // thinning may have lost all draws with a rare mode
		candidates = p.Draws
	}
	few := int(max(12, min(100, math.Sqrt(3e7/float64(r.n)))))
	candidates = spaced(candidates, few)
	best, _, err := posterior.LossVI.PointEstimate(candidates, spaced(p.Draws, 2*few))
	if err != nil {
		return err
	}
	p.Labels = candidates[best]
	p.Number = r.numberOf(p.Labels)
	return p.smooth(r)
}

// smooth moves each row to the cluster of the estimate that it is in most often: a draw has the noise of one. It leaves
// the estimate as it is where rows must be together or apart, and where clusters would vanish.
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
	if r.numberOf(labels) == p.Number {
		p.Labels = labels
	}
	return nil
}

// numberOf counts the clusters of canonical labels that are more than outlying rows; it is at least 1.
func (r *rows) numberOf(labels []int32) (number int) {
	var sizes [mostComponents + 1]float64
	for i, k := range labels {
		sizes[k] += r.known.count(int32(i))
	}
	for _, size := range sizes {
		if size > 0 && size >= r.leastRows() {
			number++
		}
	}
	return max(number, 1)
}

// spaced returns at most most of the draws, evenly spaced.
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
