package mixture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
	"github.com/gfncp/gfncp/posterior"
)

// counted reports for each cluster of canonical labels whether it counts in K, and returns K. Clusters of outlying
// rows do not count: they have fewer than 3 rows, fewer than 5 of at least 100 rows, or fewer than 1/200 of all rows.
// The largest cluster always counts. If the user asks for at least two clusters, all count.
func (k *knowledge) counted(labels []int32) (counted []bool, number int) {
	sizes := make([]int, slices.Max(labels)+1)
	for _, label := range labels {
		sizes[label]++
	}
	least := 3
	if len(labels) >= 100 {
		least = max(5, len(labels)/200)
	}
	least = min(least, slices.Max(sizes))
	for _, size := range sizes {
		counts := size >= least || k.demands()
		if counted = append(counted, counts); counts {
			number++
		}
	}
	return counted, number
}

// Posterior is the sampled posterior of a table's partitions.
type Posterior struct {
	Labels      []int32   // [N], the point estimate, canonical
	Counted     []bool    // [clusters of Labels], whether each counts in K; clusters of outlying rows do not
	Number      int       // K, the clusters that count; see pointEstimate
	NumberProbs []float64 // [MostClusters+1], P(K), without clusters of outlying rows
	Draws       [][]int32 // [S][N], partitions, canonical, chain after chain
	ByChain     []float64 // P(K = Number) of each chain
	Full        float64   // share of the sweeps with MostClusters clusters: there may be more
	Convergence Convergence
	Sweeps      int // of each chain
	Ending      Ending
	Restarts    int          // how often chains at far worse modes began anew from the best chain, and all their draws
	Uses        []tables.Use // [D + Q], how each column is used: numbers first, then categories
	Rounded     []float64    // [D + Q], step of a column that is rounded, else 0
	Fit         *fit.Mixture // the mixture of the clusters of Labels
	Checks      *fit.Checks  // nil with units or demands (see knowledge), which the checks would ignore
	Disputed    []int        // rows, ascending, whose given labels or pairs the table alone contradicts
	Copies      int          // exact copies of rows that were left out, see Sample
	Parted      float64      // share of the rows that are equal to a row of another cluster
}

// Sample draws from the posterior of the partitions of a table. It ends when the chains agree or the budget of work is
// spent; then one seed gives the same answer on any number of cores. Options.Time or a deadline of ctx also ends it,
// with Ending Deadline. It returns the error of ctx if ctx is cancelled, or if the deadline leaves no answer.
//
// Weights repeat rows: a row of weight 3 is sampled as three equal rows, and Labels and Draws have one of them. In the
// model numbers are continuous, so copies of a row would form clusters of zero width. Therefore, if the numbers are not
// rounded, copies count as one row. Without weights this holds if many rows are exact copies, and the options hold no
// pairs or given labels.
func Sample(ctx context.Context, table tables.Table, options Options) (*Posterior, error) {
	if _, err := options.know(table.Rows); err != nil { // sample checks only the knowledge about the repeated rows
		return nil, err
	}
	if options.Time > 0 {
		const unlimited = 1e13
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, options.Time)
		defer end()
		options.Work = unlimited
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

func sample(ctx context.Context, table tables.Table, options Options) (*Posterior, error) {
	known, err := options.know(table.Rows)
	if err != nil {
		return nil, err
	}
	e := tables.FitEncoder(table)
	r := e.Encode(table, true)
	if r.Dim()+r.Variables() == 0 {
		return nil, errors.New("no column has two different values: all rows are equal")
	}
	options.Work = cmp.Or(options.Work, usualWork(r))
	options.Draws = cmp.Or(options.Draws, usualDraws)
	e.ChooseForms(table, func(r *em.Rows) float64 { return formEvidence(ctx, r, options.Seed) })
	e.Shared = chooseLaw(ctx, e.Encode(e.EvidenceRows(e.Known(table)), true), options.Seed)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r = e.Encode(table, true)
	run, cells := newRun(r, &known, options), e.Known(table)
	p := &Posterior{Uses: e.Uses, Rounded: e.Rounded}
	for _, s := range e.Missing {
		for _, d := range s.Columns {
			p.Uses[d] += tables.Use(fmt.Sprintf(", %g taken as missing", s.Value))
		}
	}
	if err := run.finish(ctx, options, p); err != nil {
		return nil, err
	}
	nu := p.estimate(run)
	p.Parted = table.SplitShare(p.Labels)
	fitted := run.chains[0].rows // with its draws of missing cells, but rounded cells as Predict sees them
	for _, rounded := range r.Rounded {
		copy(fitted.Columns[rounded.Column], r.Columns[rounded.Column])
	}
	p.Fit = fit.New(table, e, em.Fit(fitted, p.Labels, known.held(p.Labels), metrics.Clusters(p.Labels), nu))
	if len(known.units) == 0 && !known.demands() {
		p.Checks = p.Fit.Check(table, p.Counted, options.Seed)
		p.Checks.Ties = e.Ties(cells, p.Labels, p.Counted)
	}
	if len(known.units) > 0 {
		p.Disputed, err = options.disputed(ctx, r, &known, p.Labels)
	}
	return p, err
}

// estimate fills P(K), the draws and the point estimate. It returns the most frequent ν.
func (p *Posterior) estimate(run *run) (nu float64) {
	known := run.chains[0].known
	from := run.discarded()
	var tails [len(degrees)]float64
	var counts [Chains][MostClusters + 1]float64
	p.NumberProbs = make([]float64, MostClusters+1)
	share := 1 / float64(Chains*(p.Sweeps-from))
	for i, c := range run.chains {
		for _, s := range c.states[from:] {
			p.NumberProbs[s.number] += share
			counts[i][s.number]++
			tails[s.tail]++
			if s.clusters == MostClusters {
				p.Full += share
			}
		}
		p.Draws = append(p.Draws, c.draws[from/run.thin:]...)
	}
	p.Labels = p.pointEstimate(known)
	p.Counted, p.Number = known.counted(p.Labels)
	for _, of := range counts {
		p.ByChain = append(p.ByChain, of[p.Number]*share*float64(Chains))
	}
	return degrees[floats.MaxIdx(tails[:])]
}

// pointEstimate takes the draw with the most probable K that has the least expected variation of information. It then
// moves each row to the cluster in which most draws put it. If that would empty a cluster, the draws have this cluster
// at different places, and it tries the next K that is at least half as probable.
func (p *Posterior) pointEstimate(known *knowledge) (labels []int32) {
	byNumber := map[int][][]int32{}
	for _, draw := range p.Draws {
		_, k := known.counted(draw)
		byNumber[k] = append(byNumber[k], draw)
	}
	few := int(max(12, min(100, math.Sqrt(3e7/float64(len(p.Draws[0]))))))
	most := slices.Max(p.NumberProbs)
	numbers := slices.Collect(maps.Keys(byNumber)) // thinning may have lost a rare K
	slices.SortFunc(numbers, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.NumberProbs[b], p.NumberProbs[a]), cmp.Compare(a, b))
	})
	for _, number := range numbers {
		if labels != nil && p.NumberProbs[number] < most/2 {
			break
		}
		candidates := spaced(byNumber[number], few)
		best, _ := posterior.LossVI.PointEstimate(candidates, spaced(p.Draws, 2*few))
		smooth, whole := p.smooth(candidates[best], known)
		if whole {
			return smooth
		}
		if labels == nil {
			labels = smooth
		}
	}
	return labels
}

// smooth moves each row of a draw to the cluster in which most draws put it, except rows that must be together or
// apart. A cluster keeps its rows if it would become empty, or would count in K though it did not, or the reverse; then
// whole is false.
func (p *Posterior) smooth(draw []int32, known *knowledge) (labels []int32, whole bool) {
	labels = posterior.Smooth(draw, p.Draws)
	sizes := make([]int, metrics.Clusters(draw))
	for i := range labels {
		if known.unit(int32(i)) >= 0 {
			labels[i] = draw[i]
		}
		sizes[labels[i]]++
	}
	whole = true
	keep := func(k int) {
		whole = false
		for i, of := range draw {
			if of == int32(k) || labels[i] == int32(k) {
				labels[i] = of
			}
		}
	}
	for k, size := range sizes {
		if size == 0 {
			keep(k)
		}
	}
	counted, _ := known.counted(draw)
	for range sizes { // a cluster that keeps its rows changes another one
		now, _ := known.counted(labels)
		for k := range counted {
			if now[k] != counted[k] {
				keep(k)
				break
			}
		}
	}
	labels, _ = metrics.Canonical(labels)
	return labels, whole
}

// spaced returns evenly spaced draws, no more than most.
func spaced(draws [][]int32, most int) [][]int32 {
	out := make([][]int32, min(most, len(draws)))
	for i := range out {
		out[i] = draws[i*len(draws)/len(out)]
	}
	return out
}
