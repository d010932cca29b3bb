package clustering

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

// ExactSubset is the Options.Subset for Exact: as many points as chains of some seconds get to agree on.
const ExactSubset = 1000

const (
	trialShare  = 8   // a subset is tried with this part of the work of sampling one
	trialDraws  = 16  // samples that say how well a subset predicts
	exactRows   = 5e7 // predictive densities in the assignment of the other points, but for those of one labelling
	fewestTrial = 20  // sweeps of a trial
)

// largeExact is a set that Exact clusters by subsets.
type largeExact[T Real] struct {
	x    []T // [n,d]
	n, d int
	o    Options
}

// exactTrial is a subset with a short run of chains.
type exactTrial struct {
	places []int
	target target
	draws  *posterior.Draws
}

// cluster tries subsets, samples the best one, and assigns all other points.
func (l *largeExact[T]) cluster(ctx context.Context) (*Result, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	trials, rotation, warnings, err := l.prepare()
	if err != nil {
		return nil, err
	}
	s, err := l.choose(ctx, trials)
	if err != nil {
		return nil, fmt.Errorf("cluster exactly: %w", err)
	}
	best := trials[s.Chosen]
	r, err := l.o.exactly(ctx, best.target, rotation, warnings, best.draws.Samples)
	if err != nil {
		return nil, err
	}
	r.Subset = s
	if err := l.assign(ctx, r); err != nil {
		return nil, fmt.Errorf("cluster exactly: %w", err)
	}
	for at, i := range s.Points { // in the numbers of the whole set
		r.Exact.Labels[at] = r.Labels[i]
	}
	r.warnNone(l.n)
	return r, nil
}

// check refuses coordinates that are no numbers, wherever they are.
func (l *largeExact[T]) check() error {
	for i, v := range l.x {
		if !(math.Abs(float64(v)) <= tabular.Largest) {
			return usererr.New("mend or leave out this point", "coordinate %d of point %d is %v", i%l.d+1, i/l.d+1, v)
		}
	}
	return nil
}

// pick returns some of the points, by their places.
func (l *largeExact[T]) pick(places []int) []float64 {
	x := make([]float64, 0, len(places)*l.d)
	for _, i := range places {
		x = append(x, widened(l.x[i*l.d:(i+1)*l.d])...)
	}
	return x
}

// prepare draws the subsets. All have the principal components and the prior of the points of all of them, so that
// their densities can be compared.
func (l *largeExact[T]) prepare() (trials []*exactTrial, r *tabular.Rotation, warnings []string, err error) {
	subsets := l.o.draw(l.n)
	x := l.pick(slices.Concat(subsets...))
	all, r, warnings, err := l.o.ellipsoids(x, len(x)/l.d, l.d)
	if err != nil {
		return nil, nil, nil, err
	}
	size := l.o.Subset * all.dimension()
	for i, places := range subsets {
		t := all
		t.x = all.x[i*size : (i+1)*size]
		trials = append(trials, &exactTrial{places: places, target: t})
	}
	return trials, r, warnings, nil
}

// choose lets short chains on each subset predict the points of all others, and takes the subset that does so best: by
// the mean log-density of a point, averaged over the samples before the logarithm is taken. So all are judged on points
// that they have not seen, where a subset's own density tells how well its chains fit its noise.
func (l *largeExact[T]) choose(ctx context.Context, trials []*exactTrial) (*Subset, error) {
	o := l.o
	o.Samples = trialDraws
	s := &Subset{HeldOut: make([]float64, len(trials))}
	for i, t := range trials {
		starts := t.target.guesses(data.Rand(o.Seed, "cluster/guesses", i), o.Subset)
		if sweeps, _ := parseRefine(l.o.Refine); sweeps == 0 { // its faults are seen before
			_, k := refineStarts(starts, t.target.prior)
			o.Refine = strconv.Itoa(max(fewestTrial, t.target.affordable(o.Subset, k)/trialShare))
		}
		draws, _, err := t.target.sample(ctx, o, starts)
		if err != nil {
			return nil, err
		}
		t.draws = draws
		if l.o.Progress != nil {
			l.o.Progress(i+1, len(trials))
		}
	}
	for i, t := range trials {
		if len(trials) == 1 {
			break
		}
		var err error
		if s.HeldOut[i], err = l.predicts(ctx, t, trials); err != nil {
			return nil, err
		}
	}
	s.Chosen = floats.MaxIdx(s.HeldOut)
	s.Points = trials[s.Chosen].places
	return s, nil
}

// predicts is the mean log-density per point in nats of the points of all trials but one, given that one, over that
// without clusters, which is the same for all trials.
func (l *largeExact[T]) predicts(ctx context.Context, by *exactTrial, trials []*exactTrial) (float64, error) {
	var others []float64
	for _, t := range trials {
		if t != by {
			others = append(others, t.target.x...)
		}
	}
	f := newExactFit(by.target, &tabular.Rotation{}, by.draws.Samples[0].Labels,
		&pieces{Draws: by.draws})
	var states []posterior.State
	var relative [][]float64 // of each point under each state: log count, less the log-density without clusters
	for _, s := range f.Samples {
		common, err := by.target.selection.LogCommon(s.Directions, others)
		if err != nil {
			return 0, err
		}
		floats.Scale(-1, common)
		floats.AddConst(math.Log(float64(s.Count)/float64(len(by.draws.Samples))), common)
		states, relative = append(states, s.State), append(relative, common)
	}
	p, err := posterior.NewPredictor(by.target.prior, by.target.x, states)
	if err != nil {
		return 0, err
	}
	d := by.target.dimension()
	logs := make([]float64, len(others)/d) // of each point: the order of a sum must not be that of goroutines
	points := func(from, to int) []float64 { return others[from*d : to*d] }
	err = p.Each(ctx, len(logs), points, func(i int, logJoint [][]float64) {
		densities := make([]float64, len(logJoint))
		for s, terms := range logJoint {
			densities[s] = relative[s][i] + floats.LogSumExp(terms)
		}
		logs[i] = floats.LogSumExp(densities)
	})
	return floats.Sum(logs) / float64(len(logs)), err
}

// assign gives all points their labels and probabilities.
func (l *largeExact[T]) assign(ctx context.Context, r *Result) error {
	a, err := r.Exact.assigner(PredictOptions{Samples: drawsFor(l.n, r.K, exactRows), Seed: l.o.Seed})
	if err != nil {
		return err
	}
	a.Progress, r.Subset.Samples = l.o.Assigned, a.drawn
	points := func(from, to int) []float64 { return r.Rotation.Apply(widened(l.x[from*l.d : to*l.d])) }
	return r.assign(l.n, func(visit visitor) error { return a.each(ctx, l.n, points, visit) })
}
