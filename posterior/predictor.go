package posterior

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// State is a partition with the law of the points that it was drawn under: what a chain knows between two sweeps.
type State struct {
	Labels []int32 // [N], of any values
	Model  Likelihood
	// Directions [q][P], if not nil, are those in which the points have the law; it has q dimensions then.
	Directions [][]float64
}

// Dimension returns the coordinates of a point.
func (s State) Dimension() int {
	if len(s.Directions) > 0 {
		return len(s.Directions[0])
	}
	return s.Model.Dimension()
}

// Seen returns points x [N·P] as the law has them: [N·D].
func (s State) Seen(x []float64) []float64 {
	if s.Directions == nil {
		return x
	}
	return project(x, s.Directions)
}

// check returns points x [N·P] as the law has them, and N. It returns the errors of Likelihood.Check, and
// metrics.ErrLength for directions of another law and labels of another number of points.
func (s State) check(x []float64) (y []float64, n int, err error) {
	if n, err = countPoints(x, s.Dimension()); err != nil {
		return nil, 0, err
	}
	if s.Directions != nil && len(s.Directions) != s.Model.Dimension() || len(s.Labels) != n {
		return nil, 0, fmt.Errorf("%d labels of %d points, %d directions of a law in %d dimensions: %w", len(s.Labels),
			n, len(s.Directions), s.Model.Dimension(), metrics.ErrLength)
	}
	for _, w := range s.Directions {
		if len(w) != s.Dimension() {
			return nil, 0, fmt.Errorf("directions of %d and %d numbers: %w", len(w), s.Dimension(), metrics.ErrLength)
		}
	}
	y = s.Seen(x)
	_, err = s.Model.Check(y)
	return y, n, err
}

// Predictor says where further points belong, given N points in one or several states: the posterior predictive law of
// collapsed Gibbs sampling (Neal 2000, algorithm 3),
//
//	p(c_new = k, x_new | c, x) ∝ n_k · p(x_new | points of k)   for a cluster of n_k points
//	                             α   · p(x_new)                 for a new one
//
// where α, if the prior does not know it, is the ratio of the prior's probabilities of K+1 and of K clusters among N+1
// points. Every new point is alone: neither order nor number changes what is said of one. A Predictor is safe for
// concurrent use.
type Predictor struct {
	// Progress, if not nil, is called now and then with the points that are done and their number, one call at a time.
	Progress func(done, total int)

	dim    int
	states []predicting
}

// predicting is a state, its clusters in order of first appearance, and last a new one.
type predicting struct {
	State
	open     func() Cluster
	clusters []Cluster // [K+1]
	logPrior []float64 // [K+1], log p(c_new = k | c)
}

// NewPredictor returns the predictor of points x [N·D] (row-major) in the given states, at least one. It returns the
// errors of Likelihood.Check and of the prior, metrics.ErrTooFew without states, and metrics.ErrLength for labels of
// another number of points and for states of other dimensions.
func NewPredictor(prior CRP, x []float64, states []State) (*Predictor, error) {
	if len(states) == 0 {
		return nil, fmt.Errorf("predict from no states: %w", metrics.ErrTooFew)
	}
	if err := prior.Validate(); err != nil {
		return nil, err
	}
	p := &Predictor{dim: states[0].Dimension()}
	var logK []float64
	for i, s := range states {
		if s.Dimension() != p.dim {
			return nil, fmt.Errorf("state %d is in %d dimensions, but the first one in %d: %w", i, s.Dimension(), p.dim,
				metrics.ErrLength)
		}
		y, n, err := s.check(x)
		if err != nil {
			return nil, fmt.Errorf("predict: state %d: %w", i, err)
		}
		if logK == nil {
			if logK, err = prior.logWeight(n + 1); err != nil {
				return nil, err
			}
		}
		if k := metrics.Clusters(s.Labels); !prior.allows(k) && !prior.allows(k+1) {
			return nil, usererr.New("predict from other states", "the prior excludes the %d clusters of a state", k)
		}
		p.states = append(p.states, newPredicting(s, prior, logK, y))
	}
	return p, nil
}

func newPredicting(s State, prior CRP, logK, x []float64) predicting {
	part, d := partition.New(s.Labels), s.Model.Dimension()
	k := len(part.Size)
	p := predicting{
		State: s, open: s.Model.Clusters(len(s.Labels)), clusters: make([]Cluster, k+1), logPrior: make([]float64, k+1),
	}
	for j := range p.clusters {
		p.clusters[j] = p.open()
	}
	for i, j := range part.Labels {
		p.clusters[j].Add(x[i*d : (i+1)*d])
	}
	for j, size := range part.Size {
		if p.logPrior[j] = math.Inf(-1); prior.allows(k) {
			p.logPrior[j] = logK[k] + math.Log(float64(size))
		}
	}
	if p.logPrior[k] = math.Inf(-1); prior.allows(k + 1) {
		p.logPrior[k] = logK[k+1]
	}
	floats.AddConst(-floats.LogSumExp(p.logPrior), p.logPrior)
	return p
}

// copies are the clusters of a state for another goroutine: clusters may change when they are asked.
func (p *predicting) copies() []Cluster {
	own := make([]Cluster, len(p.clusters))
	for k, c := range p.clusters {
		own[k] = p.open()
		own[k].Absorb(c)
	}
	return own
}

const predictorChunk = 2048 // points that a goroutine takes at a time

// Each visits m further points. points returns some of them, [(to−from)·D]; visit gets, for each point, the numbers
// log p(c_new = k, x_new | c, x) in nats under each state: of its K clusters in order of first appearance, and of a new
// one. It must not keep them. Both are called from several goroutines, for different points. ctx ends it with its
// error. Time O(m·S·K) predictive densities on all cores.
func (p *Predictor) Each(
	ctx context.Context, m int, points func(from, to int) []float64, visit func(point int, logJoint [][]float64),
) error {
	workers := runtime.GOMAXPROCS(0)
	size := max(1, min(predictorChunk, (m+workers-1)/workers))
	var next atomic.Int64 // the chunk to take
	var done int
	var hear sync.Mutex
	var running sync.WaitGroup
	for range min(workers, (m+size-1)/size) {
		running.Go(func() {
			w := p.newWorker()
			for {
				from := (int(next.Add(1)) - 1) * size
				if from >= m || ctx.Err() != nil {
					return
				}
				to := min(from+size, m)
				w.visit(points(from, to), from, visit)
				hear.Lock()
				if done += to - from; p.Progress != nil {
					p.Progress(done, m)
				}
				hear.Unlock()
			}
		})
	}
	running.Wait()
	return ctx.Err()
}

// predictorWorker has clusters and room of its own.
type predictorWorker struct {
	*Predictor
	clusters [][]Cluster // [S][K+1]
	logJoint [][]float64 // [S][K+1]
	seen     [][]float64 // [S], some points as the states have them
}

func (p *Predictor) newWorker() predictorWorker {
	w := predictorWorker{Predictor: p, seen: make([][]float64, len(p.states))}
	for i := range p.states {
		own := p.states[i].copies()
		w.clusters, w.logJoint = append(w.clusters, own), append(w.logJoint, make([]float64, len(own)))
	}
	return w
}

// visit visits points x [·,D], the first of which has a number.
func (w predictorWorker) visit(x []float64, first int, visit func(point int, logJoint [][]float64)) {
	for i := range w.states {
		w.seen[i] = w.states[i].Seen(x)
	}
	for at := range len(x) / w.dim {
		for i, own := range w.clusters {
			d := w.states[i].Model.Dimension()
			point := w.seen[i][at*d : (at+1)*d]
			for k, c := range own {
				w.logJoint[i][k] = w.states[i].logPrior[k] + c.LogPredictive(point)
			}
		}
		visit(first+at, w.logJoint)
	}
}
