package clustering

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// ExactFit is what Exact sampled of a set: all that its Predict needs.
type ExactFit struct {
	Rotation tabular.Rotation // of D columns to P components
	X        []float64        // [N,P] the points' components
	Labels   []int32          // [N] the point estimate: 0..K−1, each of them at least once
	Prior    posterior.CRP
	Samples  []ExactSample // at least one
}

// ExactSample is a partition that was drawn Count times, and the law of the points that it was drawn under.
type ExactSample struct {
	posterior.State
	Count int
	// Groups [pieces], if not nil, are the clusters that the parts of the partition, in order of first appearance, are
	// pieces of (Joined): 0, 1, … in order of first appearance.
	Groups []int32
}

// clusters are the labels [N] of the clusters.
func (s ExactSample) clusters() []int32 {
	if s.Groups == nil {
		return s.Labels
	}
	labels, _, _ := joinedLabels(s.Labels, s.Groups)
	return labels
}

// newExactFit is the fit of states of a target, whose point estimate is labels. Equal states are kept once.
func newExactFit(t target, r *tabular.Rotation, labels []int32, found *pieces) *ExactFit {
	f := &ExactFit{Rotation: *r, X: t.x, Labels: labels, Prior: t.prior}
	for i, s := range found.States {
		same := func(known ExactSample) bool { return reflect.DeepEqual(known.State, s) }
		if at := slices.IndexFunc(f.Samples, same); at >= 0 {
			f.Samples[at].Count++
			continue
		}
		sample := ExactSample{State: s, Count: 1}
		if found.groups != nil {
			sample.Groups = found.groups[i]
		}
		f.Samples = append(f.Samples, sample)
	}
	return f
}

// Check reports parts that do not fit together: a *usererr.Error or metrics.ErrLength.
func (f *ExactFit) Check() error {
	n, p := len(f.Labels), len(f.Rotation.Components)
	if n < 1 || p < 1 || len(f.X) != n*p || len(f.Samples) == 0 {
		return fmt.Errorf("a clustering of %d points has %d values of %d components and %d samples: %w",
			n, len(f.X), p, len(f.Samples), metrics.ErrLength)
	}
	if err := checkEstimate(f.Labels); err != nil {
		return err
	}
	for i, s := range f.Samples {
		if len(s.Labels) != n || s.Count < 1 || s.Model == nil || s.Dimension() != p {
			return fmt.Errorf("sample %d has %d labels of %d points and count %d: %w", i, len(s.Labels), n, s.Count,
				metrics.ErrLength)
		}
		if s.Groups != nil && (len(s.Groups) != metrics.Clusters(s.Labels) || !canonical(s.Groups)) {
			return fmt.Errorf("sample %d has groups %v of %d pieces: %w", i, s.Groups, metrics.Clusters(s.Labels),
				metrics.ErrLength)
		}
	}
	return nil
}

// canonical reports whether labels are 0, 1, … in order of first appearance.
func canonical(labels []int32) bool {
	other, _ := metrics.Canonical(labels)
	return slices.Equal(labels, other)
}

// Predict says where n new points x [n,d], row-major, belong: p(c_new | x_new, x, c) by the posterior predictive law of
// each sample (posterior.Predictor), averaged over the samples as the function Predict does. x holds what Exact was
// given: with an encoding, encoded rows. Faults of the points or options are *usererr.Error. Time O(S·n·K·P²) for S
// different samples, on all cores.
func (f *ExactFit) Predict(ctx context.Context, x []float64, n, d int, o PredictOptions) (*Prediction, error) {
	if o.Samples < 0 {
		return nil, usererr.New("use 0 or more", "Samples = %d", o.Samples)
	}
	if err := f.checkNew(x, n, d); err != nil {
		return nil, err
	}
	a, err := f.assigner(o)
	if err != nil {
		return nil, err
	}
	a.Progress = o.Progress
	points := func(from, to int) []float64 { return f.Rotation.Apply(x[from*d : to*d]) }
	return newPrediction(a.k, n, a.drawn, func(visit visitor) error { return a.each(ctx, n, points, visit) })
}

// farthestNew is the largest distance of a new point from the mean, in standard deviations of the columns, whose
// densities do not overflow.
const farthestNew = 1e100

// checkNew refuses new points that do not go with the clustering.
func (f *ExactFit) checkNew(x []float64, n, d int) error {
	if err := f.Check(); err != nil {
		return err
	}
	switch {
	case n < 1:
		return usererr.New("give at least 1 point", "there is nothing to predict")
	case d != len(f.Rotation.Mean):
		return usererr.New("give as many", "the new points have %s, but those of the clustering %d",
			text.Count(d, "coordinate"), len(f.Rotation.Mean))
	case len(x) != n*d:
		return fmt.Errorf("%d values of %d points in %d dimensions: %w", len(x), n, d, metrics.ErrLength)
	}
	for i, v := range x {
		if far := math.Abs(v-f.Rotation.Mean[i%d]) * f.Rotation.Scale[i%d]; !(far <= farthestNew) || math.IsInf(v, 0) {
			return usererr.New("mend or leave out this point",
				"coordinate %d of point %d is %v, out of the range of what can be compared", i%d+1, i/d+1, v)
		}
	}
	return nil
}

// exactAssigner gives new points probabilities of the clusters of an estimate, from so many draws.
type exactAssigner struct {
	*posterior.Predictor
	matching
	drawn int
}

// assigner returns one that averages over at most o.Samples draws, or, of none, takes the estimate for sure.
func (f *ExactFit) assigner(o PredictOptions) (*exactAssigner, error) {
	var counts []int
	for _, s := range f.Samples {
		counts = append(counts, s.Count)
	}
	chosen, drawn := chooseDraws(counts, o)
	var samples []ExactSample
	counts = nil
	for i, count := range chosen {
		if count > 0 {
			samples, counts = append(samples, f.Samples[i]), append(counts, count)
		}
	}
	if drawn == 0 {
		samples, counts = []ExactSample{f.estimate()}, []int{1}
	}
	var states []posterior.State
	var labels [][]int32
	for _, s := range samples {
		states, labels = append(states, s.State), append(labels, s.clusters())
	}
	a := &exactAssigner{drawn: drawn}
	var err error
	if a.matching, err = newMatching(f.Labels, labels, counts); err != nil {
		return nil, err
	}
	for i, s := range samples {
		a.split(i, s.Groups)
	}
	a.Predictor, err = posterior.NewPredictor(f.Prior, f.X, states)
	return a, err
}

// estimate is the sample that is the point estimate, or else this, not in pieces, with the law of the first sample.
func (f *ExactFit) estimate() ExactSample {
	canonical, _ := metrics.Canonical(f.Labels)
	for _, s := range f.Samples {
		if labels, _ := metrics.Canonical(s.clusters()); slices.Equal(labels, canonical) {
			return s
		}
	}
	s := f.Samples[0]
	s.Labels, s.Groups = f.Labels, nil
	return s
}

// each visits n points, of whose components points returns some.
func (a *exactAssigner) each(ctx context.Context, n int, points func(from, to int) []float64, visit visitor) error {
	return a.Each(ctx, n, points, func(i int, logJoint [][]float64) {
		for _, p := range logJoint {
			softmax(p)
		}
		row, fresh := a.row(logJoint)
		visit(i, row, fresh)
	})
}

// softmax turns log-probabilities that lack a constant into probabilities, in place.
func softmax(logs []float64) {
	total := floats.LogSumExp(logs)
	for k, v := range logs {
		logs[k] = math.Exp(v - total)
	}
}
