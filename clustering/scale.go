package clustering

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
)

const (
	referenceSets   = 64    // training sets that the scale statistics are compared with
	referencePoints = 300   // most points of a set that are measured
	referenceWork   = 1.6e7 // most N²·D of a measured set, so that many coordinates do not cost many seconds
	referenceSeed   = 0     // fixed: the factor depends on the points and the model alone
	referenceStream = "scale"
	neighbourShare  = 0.05 // the local statistic looks at the nearest 5 % of the points
	outlierShare    = 0.05 // the global statistic leaves out the farthest 5 %
	lowQuantile     = 0.05
	highQuantile    = 0.95
)

// spread tells how large a centred set is, in the set's units.
type spread struct {
	local  float64 // median over the points of the distance to the m-th nearest neighbour, m = max(1, round(0.05 N))
	global float64 // root mean square of the coordinates, without the farthest 5 % of the points
	reach  float64 // distance of the farthest point from the center
}

// measure returns the spread of centred points z [n,d], n ≥ 2. The local part follows the spread within clusters, the
// global part the distances between them. Time O(n²·d).
func measure(z []float64, n, d int) spread {
	near := data.NearDistances(slices.Collect(slices.Chunk(z, d)), neighbourShare)
	norms := squaredNorms(z, n, d)
	slices.Sort(norms)
	kept := norms[:n-int(math.Round(outlierShare*float64(n)))]
	return spread{
		local:  quantile(0.5, near),
		global: math.Sqrt(floats.Sum(kept) / float64(len(kept)*d)),
		reach:  math.Sqrt(norms[n-1]),
	}
}

func squaredNorms(z []float64, n, d int) []float64 {
	norms := make([]float64, n)
	for i := range norms {
		p := z[i*d : (i+1)*d]
		norms[i] = floats.Dot(p, p)
	}
	return norms
}

// reference holds the spreads of sets of the training distribution.
type reference struct {
	points               int       // N of the measured sets
	local, global, reach []float64 // [referenceSets], ascending
}

// newReference draws and measures training sets of about n points. It is deterministic.
func newReference(known data.Config, n int) (*reference, error) {
	most := max(50, min(referencePoints, int(math.Sqrt(referenceWork/float64(known.Dim)))))
	r := &reference{points: max(2, min(max(min(n, most), known.NMin), known.NMax))}
	known.Batch, known.NMin, known.NMax, known.Stream = referenceSets, r.points, r.points, referenceStream
	source, err := data.NewMoG(known)
	if err != nil {
		return nil, fmt.Errorf("training range of the model: %w", err)
	}
	batch, err := source.Batch(referenceSeed, 0)
	if err != nil {
		return nil, fmt.Errorf("draw training sets: %w", err)
	}
	z := make([]float64, r.points*known.Dim)
	for i := range batch.B {
		x, _ := batch.Set(i)
		for j, v := range x {
			z[j] = float64(v)
		}
		s := measure(z, r.points, known.Dim)
		r.local, r.global, r.reach = append(r.local, s.local), append(r.global, s.global), append(r.reach, s.reach)
	}
	slices.Sort(r.local)
	slices.Sort(r.global)
	slices.Sort(r.reach)
	return r, nil
}

// measure returns the spread of centred points z [n,d], or of a fixed choice of r.points of them if there are more. All
// points count for the reach.
func (r *reference) measure(z []float64, n, d int) spread {
	if n <= r.points {
		return measure(z, n, d)
	}
	chosen := make([]float64, 0, r.points*d)
	for _, i := range data.Rand(referenceSeed, referenceStream, 1).Perm(n)[:r.points] {
		chosen = append(chosen, z[i*d:(i+1)*d]...)
	}
	s := measure(chosen, r.points, d)
	s.reach = math.Sqrt(floats.Max(squaredNorms(z, n, d)))
	return s
}

// factor returns the factor that makes points of the given spread look like the training sets. It is 1 if both
// statistics lie between the 5 % and 95 % quantiles of the training sets, or if all points are equal. Otherwise it
// brings the local statistic to the training median, but the global one at most to its 95 % quantile; if the local one
// is 0, the global one to the training median.
func (r *reference) factor(s spread) float64 {
	usual := func(v float64, sorted []float64) bool {
		return v >= quantile(lowQuantile, sorted) && v <= quantile(highQuantile, sorted)
	}
	switch {
	case usual(s.local, r.local) && usual(s.global, r.global), s.global == 0:
		return 1
	case s.local == 0:
		return quantile(0.5, r.global) / s.global
	}
	return min(quantile(0.5, r.local)/s.local, quantile(highQuantile, r.global)/s.global)
}

// quantile interpolates between the values at p·(n−1), so that the median of an even number is the mean of the middle
// two (type 7 of Hyndman & Fan 1996; gonum's interpolation has p·n, which sits low on short lists).
func quantile(p float64, sorted []float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
