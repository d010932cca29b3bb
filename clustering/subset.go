package clustering

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/sampleuv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// MaxWhole is the most points that a network clusters as one sequence.
const MaxWhole = 2000

const (
	mostSubsets   = 4       // that are tried
	networkSubset = 400     // points of one
	assignedRows  = 2e7     // most candidates in the assignment of the other points, but for those of one labelling;
	attendedRows  = 2e6     // where rows attend to each other, which costs several times as much
	mostRows      = 1 << 22 // most entries of Result.Probabilities
	manyInNone    = 0.01    // share of points in none of the clusters that is worth a warning
)

// Subset says how a large set was clustered: a random subset in full, all other points by the predictive probability
// (Predict). All of a Result that is not about single points is about the subset's: samples, log-probabilities, P(K),
// expected losses, ball, chains.
type Subset struct {
	// Points [M] are the places of the subset's points in the input, rising.
	Points []int `json:"points"`
	// HeldOut [T] is, for each subset that was tried, the log-probability of what its clustering makes of the points of
	// all, per point (see Cluster); Chosen has the highest.
	HeldOut []float64 `json:"held_out"`
	Chosen  int       `json:"chosen"`
	// Samples are the draws that the other points' probabilities are averaged over; 0: the subset's labels alone.
	Samples int `json:"samples"`
	// None is the number of other points that are more probable in none of the clusters than in each; they are put into
	// the most probable one nevertheless.
	None int `json:"none"`
}

// subsets reports whether n points are clustered by subsets.
func (o Options) subsets(n int) bool { return o.subset > 0 && n > o.subset }

// noMatrix refuses the co-clustering matrix of a set that is clustered by subsets.
func noMatrix(n int) error {
	return usererr.Option("CoClustering", "leave it out, or give fewer points",
		"is not to be had of %d points, of which only a part is sampled", n)
}

// largeSet is a set that is clustered by subsets.
type largeSet struct {
	net   *models.Network
	known data.Config
	x     []float32 // [n,d]
	n, d  int
	o     Options
}

// cluster tries subsets, clusters the best one in full, and assigns all other points.
func (l *largeSet) cluster(ctx context.Context) (*Result, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	s, err := l.choose(ctx)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	points := l.pick(s.Points)
	r, err := clusterWhole(ctx, l.net, l.known, points, len(s.Points), l.d, l.o)
	if err != nil {
		return nil, err
	}
	r.Subset = s
	if err := l.assign(ctx, r.Network, r); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	r.Network.Labels = make([]int32, len(s.Points))
	for at, i := range s.Points { // as the clusters are numbered now
		r.Network.Labels[at] = r.Labels[i]
	}
	r.warnNone(l.n)
	return r, nil
}

// warnNone warns if many of the n points are in none of the clusters.
func (r *Result) warnNone(n int) {
	s := r.Subset
	if share := float64(s.None) / float64(n); share > manyInNone {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d points (%.1f %%) are probably in none of the clusters of the "+
			"%d that were sampled", s.None, 100*share, len(s.Points)))
	}
}

// check refuses points that the model cannot take, wherever they are, and a matrix of those that are not sampled.
func (l *largeSet) check() error {
	if err := checkPoints(l.net, l.known, l.x, l.n, l.d); err != nil {
		return err
	}
	if l.o.CoClustering {
		return noMatrix(l.n)
	}
	if l.known.IsImages() {
		return checkPixels(l.x, l.d)
	}
	return nil
}

// pick returns some of the points, by their places.
func (l *largeSet) pick(places []int) []float32 {
	x := make([]float32, 0, len(places)*l.d)
	for _, i := range places {
		x = append(x, l.x[i*l.d:(i+1)*l.d]...)
	}
	return x
}

// trial is a subset with the network's own greedy clustering.
type trial struct {
	places  []int
	sets    *sampling.Sets // the points as the network reads them
	decoder *decoder
	fitted  *NetworkFit
}

// choose tries random subsets that share no point, and takes the one whose clustering is the most probable for the
// points of all of them: those of the others get their labels from it by Predict, and the network says how probable
// these are. All are so judged on the same points, where a subset's own log-probability, of other points each, says
// nothing: a subset in which the clusters cannot be told apart may have the highest.
func (l *largeSet) choose(ctx context.Context) (*Subset, error) {
	subsets := l.o.draw(l.n)
	trials := make([]*trial, len(subsets))
	for i := range trials {
		trials[i] = &trial{places: subsets[i]}
		if err := l.try(ctx, trials[i], trials[0].fitted); err != nil {
			return nil, err
		}
	}
	s := &Subset{HeldOut: make([]float64, len(trials))}
	for _, on := range trials {
		if len(trials) == 1 {
			break
		}
		logProbs, err := l.judge(ctx, trials, on)
		if err != nil {
			return nil, err
		}
		floats.AddScaled(s.HeldOut, 1/float64(len(trials)*l.o.subset), logProbs)
	}
	s.Chosen = floats.MaxIdx(s.HeldOut)
	s.Points = trials[s.Chosen].places
	return s, nil
}

// draw draws random subsets of n points that share no point, mostSubsets of them if there are as many points; rising
// places.
func (o Options) draw(n int) [][]int {
	count := min(mostSubsets, n/o.subset)
	places := make([]int, count*o.subset)
	sampleuv.WithoutReplacement(places, n, data.Rand(o.Seed, "cluster/subsets", 0))
	subsets := slices.Collect(slices.Chunk(places, o.subset))
	for _, subset := range subsets {
		slices.Sort(subset)
	}
	return subsets
}

// try clusters a subset greedily, prepared as another was, or, if there is none yet, as Cluster would.
func (l *largeSet) try(ctx context.Context, t *trial, like *NetworkFit) error {
	x, n := l.pick(t.places), len(t.places)
	t.fitted = &NetworkFit{X: x, D: l.d}
	if like == nil {
		p, err := prepare(l.net, l.known, x, n, l.d, l.o.Scale)
		if err != nil {
			return err
		}
		like = &NetworkFit{Center: p.center, Factor: p.factor, View: p.view}
	}
	t.fitted.Center, t.fitted.Factor, t.fitted.View = like.Center, like.Factor, like.View
	var err error
	if t.sets, err = sampling.EncodeContext(ctx, l.net, t.fitted.prepared(x, l.known), 1, n); err != nil {
		return err
	}
	t.decoder = newDecoder(t.sets, l.o.Seed)
	t.fitted.Labels, err = first(run(t.sets, []sampling.Sequence{{Order: t.decoder.order(0)}}, sampling.Greedy{}))
	return err
}

// judge is log p(c|x) of the points of a trial as each of the trials labels them. Points in none of its clusters are
// one cluster together.
func (l *largeSet) judge(ctx context.Context, trials []*trial, on *trial) ([]float64, error) {
	labels := make([][]int32, len(trials))
	for i, by := range trials {
		if by == on {
			labels[i] = by.fitted.Labels
			continue
		}
		p, err := Predict(ctx, l.net, l.known, by.fitted, on.fitted.X, len(on.places), l.d, Options{})
		if err != nil {
			return nil, err
		}
		labels[i], _ = metrics.Canonical(p.Labels)
	}
	return on.decoder.logProbs(labels, len(labels))
}

// assign gives all points their labels and probabilities.
func (l *largeSet) assign(ctx context.Context, f *NetworkFit, r *Result) error {
	rows := assignedRows
	if l.net.Config.Attention > 0 {
		rows = attendedRows
	}
	samples, drawn := f.choose(Options{Samples: drawsFor(l.n, r.K, rows), Seed: l.o.Seed})
	a, err := f.assigner(ctx, l.net, l.known, samples)
	if err != nil {
		return err
	}
	a.Progress, r.Subset.Samples = l.o.progress(noun(l.known)+"s assigned to the clusters"), drawn
	return r.assign(l.n, func(visit visitor) error { return a.each(ctx, l.x, visit) })
}

// assign gives n points labels and probabilities, those that each tells, but the subset's keep theirs.
func (r *Result) assign(n int, each func(visitor) error) error {
	labels, own, none := make([]int32, n), make([]float32, n), make([]bool, n)
	var rows [][]float64
	if n*(r.K+1) <= mostRows {
		rows = make([][]float64, n)
	}
	put := func(i int, label int32, row []float64) {
		labels[i], own[i] = label, float32(row[label])
		if rows != nil {
			rows[i] = row
		}
	}
	err := each(func(i int, row []float64, _ float64) {
		best := floats.MaxIdx(row[:r.K])
		none[i] = row[r.K] > row[best]
		put(i, int32(best), row)
	})
	if err != nil {
		return err
	}
	for at, i := range r.Subset.Points {
		none[i] = false
		put(i, r.Labels[at], r.Probabilities[at])
	}
	for _, is := range none {
		if is {
			r.Subset.None++
		}
	}
	r.Labels, r.Probability, r.Probabilities, r.Uncertainty = labels, own, rows, nil
	r.renumber()
	return nil
}

// drawsFor is how many draws there is time to average over, if n points with K+1 candidates each may take so many rows;
// one is no better than the estimate.
func drawsFor(n, k int, rows float64) int {
	if draws := int(rows / (float64(n) * float64(k+1))); draws > 1 {
		return draws
	}
	return 0
}

// renumber numbers the clusters by first appearance in the whole input, where they were by that in the subset.
func (r *Result) renumber() {
	before := slices.Clone(r.Labels)
	partition.Renumber(r.Labels)
	from := make([]int32, r.K) // the old number of each new one
	for i, label := range r.Labels {
		from[label] = before[i]
	}
	for i, row := range r.Probabilities {
		moved := slices.Clone(row)
		for k, old := range from {
			moved[k] = row[old]
		}
		r.Probabilities[i] = moved
	}
}
