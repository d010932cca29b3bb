package posterior

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Filter follows the posterior of the partition of points that come one by one: a particle filter for mixtures with an
// unknown number of components (Fearnhead, Statistics and Computing 14, 2004). It keeps the sufficient statistics of at
// most S partitions of the points so far, all different, with their weights. Each of them goes on to every cluster
// that the next point can join; of what are too many then, those of large weight stay as they are, and a stratified
// choice of the others shares the rest of the weight without bias (Fearnhead and Clifford, JRSS B 65, 2003). While
// there are no more than S partitions, P(K) is exact.
//
// Memory and the time of a point grow with S·K, not with the points. The past is not revised: after very many points
// the partitions kept share most of their clusters. It is not safe for concurrent use.
type Filter struct {
	model     Gaussian
	alphas    []float64 // equally weighted
	most      int       // S
	points    int
	particles []particle
}

// particle is a partition of the points so far.
type particle struct {
	weight float64   // of all particles they sum to 1
	sizes  []float64 // [K] points of each cluster
	sums   []float64 // [K,D] their sums
}

// NewFilter starts before the first point. prior must not bound K, for the number of points to come is not known. It
// returns the faults of the model and the prior.
func NewFilter(model Gaussian, prior CRP, most int) (*Filter, error) {
	if err := errors.Join(model.Validate(), prior.Validate()); err != nil {
		return nil, err
	}
	if most < 1 || prior.MinK > 1 || prior.MaxK > 0 {
		return nil, usererr.New("keep at least one partition, of any number of clusters",
			"a filter of %d partitions with %d to %d clusters", most, prior.MinK, prior.MaxK)
	}
	f := &Filter{model: model, most: most, particles: []particle{{weight: 1}}}
	for _, known := range prior.grid() {
		f.alphas = append(f.alphas, known.Alpha)
	}
	return f, nil
}

// candidate is a particle with the next point in one of its clusters, or in a new one.
type candidate struct {
	from, cluster int
	weight        float64
}

// Add takes in the next point x [D]. The rng draws what is left out. A point of another length wraps metrics.ErrLength,
// one that is not finite, or infinitely improbable, metrics.ErrNotFinite; the filter stands where it stood then.
func (f *Filter) Add(rng *rand.Rand, x []float64) error {
	if len(x) != f.model.Dim {
		return fmt.Errorf("a point of %d coordinates in %d dimensions: %w", len(x), f.model.Dim, metrics.ErrLength)
	}
	all, logs := f.candidates(x)
	total := floats.LogSumExp(logs)
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return fmt.Errorf("the density at %v is %v: %w", x, total, metrics.ErrNotFinite)
	}
	for i := range all {
		all[i].weight = math.Exp(logs[i] - total)
	}
	kept := reduce(rng, all, f.most)
	next := make([]particle, len(kept))
	for i, c := range kept {
		next[i] = f.particles[c.from].with(c, x)
	}
	f.particles, f.points = next, f.points+1
	return nil
}

// candidates lists all ways to go on, with their log-weights.
func (f *Filter) candidates(x []float64) (all []candidate, logs []float64) {
	prior := f.logPrior()
	for i, p := range f.particles {
		k := len(p.sizes)
		now, logWeight := prior(k, 0), math.Log(p.weight)
		for j := range k + 1 {
			size, sum := 0.0, []float64(nil)
			law := prior(k+1, 1) - now
			if j < k {
				size, sum = p.sizes[j], p.sums[j*f.model.Dim:(j+1)*f.model.Dim]
				law = math.Log(size) + prior(k, 1) - now
			}
			all = append(all, candidate{from: i, cluster: j})
			logs = append(logs, logWeight+law+f.logPredictive(x, size, sum))
		}
	}
	return all, logs
}

// logPrior returns the log-weight of K clusters of the points so far and some more, but for a factor (n_k − 1)! of each
// cluster: the mean over α of α^K · Γ(α)/Γ(α+n).
func (f *Filter) logPrior() func(k, more int) float64 {
	known := map[[2]int]float64{}
	values := make([]float64, len(f.alphas))
	return func(k, more int) float64 {
		at := [2]int{k, more}
		if _, is := known[at]; !is {
			for i, alpha := range f.alphas {
				below, _ := math.Lgamma(alpha)
				above, _ := math.Lgamma(alpha + float64(f.points+more))
				values[i] = float64(k)*math.Log(alpha) + below - above
			}
			known[at] = floats.LogSumExp(values)
		}
		return known[at]
	}
}

// logPredictive is the log-density of x given a cluster of so many points with this sum, as of round.
func (f *Filter) logPredictive(x []float64, size float64, sum []float64) float64 {
	t2, s2 := f.model.Tau*f.model.Tau, f.model.Sigma*f.model.Sigma
	w := t2 / (s2 + size*t2)
	variance, squared := s2*(1+w), 0.0
	for d, v := range x {
		if sum != nil {
			v -= w * sum[d]
		}
		squared += v * v
	}
	return -float64(len(x))/2*math.Log(2*math.Pi*variance) - squared/(2*variance)
}

// with is the particle with the point of a candidate in its cluster.
func (p particle) with(c candidate, x []float64) particle {
	next := particle{c.weight, slices.Clone(p.sizes), slices.Clone(p.sums)}
	if c.cluster == len(p.sizes) {
		next.sizes, next.sums = append(next.sizes, 1), append(next.sums, x...)
		return next
	}
	next.sizes[c.cluster]++
	for d, v := range x {
		next.sums[c.cluster*len(x)+d] += v
	}
	return next
}

// reduce leaves at most so many candidates, whose weights sum to 1 as those of all do. With c so that Σ min(w/c, 1) is
// their number, those of weight c or more stay; of the others each is left with probability w/c, and then has weight c
// (optimal resampling).
func reduce(rng *rand.Rand, all []candidate, most int) []candidate {
	all = slices.DeleteFunc(all, func(c candidate) bool { return c.weight == 0 })
	if len(all) <= most {
		return all
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })
	rest := make([]float64, len(all)+1) // the sum from each on, the small ones first
	for i := len(all) - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + all[i].weight
	}
	large := 0
	for large < most-1 && all[large].weight*float64(most-large) >= rest[large] {
		large++
	}
	threshold := rest[large] / float64(most-large)
	kept := slices.Clone(all[:large])
	at := rng.Float64() * threshold
	for _, c := range all[large:] {
		if at -= c.weight; at < 0 && len(kept) < most {
			kept = append(kept, candidate{c.from, c.cluster, threshold})
			at += threshold
		}
	}
	total := 0.0
	for _, c := range kept {
		total += c.weight
	}
	for i := range kept { // rounding may leave one out
		kept[i].weight /= total
	}
	return kept
}

// KPosterior is P(K) of the points so far, K rising; of none, P(0) = 1.
func (f *Filter) KPosterior() (law []KProb) {
	byK := map[int]float64{}
	for _, p := range f.particles {
		byK[len(p.sizes)] += p.weight
	}
	for k, p := range byK {
		law = append(law, KProb{K: k, P: p})
	}
	slices.SortFunc(law, func(a, b KProb) int { return a.K - b.K })
	return law
}
