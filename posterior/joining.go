package posterior

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
)

// Crowding tells where points lie as densely between clusters as within these, so that clusters are pieces of one group
// of whatever form. The density at a point is that of its 10th nearest neighbour (its core distance), and two points
// are as far from each other as their distance or the larger of their core distances, as in HDBSCAN (Campello,
// Moulavi & Sander 2013). Distances are in units of the covariance that the clusters of one partition have in common.
type Crowding struct {
	core []float64  // [N]
	near [][]nearby // [N] the nearest neighbours of each point, by rising distance
}

// nearby is a neighbour of a point.
type nearby struct {
	point int32
	far   float64
}

const (
	coreNeighbors = 10  // a point's core distance is that from its neighbour of this rank
	listed        = 32  // neighbours of a point that are looked at
	bridges       = 3   // points of each of two clusters that lead to the other
	openness      = 1.5 // largest distance there, in units of the median core distance of the sparser cluster
)

// NewCrowding takes points x [N·D] (row-major) and a partition of them [N]. Time O(N²·D). It returns metrics.ErrTooFew,
// metrics.ErrLength and metrics.ErrNotFinite.
func NewCrowding(x []float64, dim int, labels []int32) (*Crowding, error) {
	n, err := countPoints(x, dim)
	if err != nil {
		return nil, err
	}
	if err := checkSamples(n, [][]int32{labels}); err != nil {
		return nil, err
	}
	z := whitened(x, dim, labels)
	c := &Crowding{core: make([]float64, n), near: make([][]nearby, n)}
	all := make([]nearby, n)
	for i := range n {
		for j := range n {
			all[j] = nearby{int32(j), floats.Distance(z[i*dim:(i+1)*dim], z[j*dim:(j+1)*dim], 2)}
		}
		slices.SortFunc(all, func(a, b nearby) int {
			return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.point, b.point))
		})
		nearest := slices.Clone(all[:min(n, listed+1)])
		c.near[i] = slices.DeleteFunc(nearest, func(o nearby) bool { return int(o.point) == i })
		c.core[i] = all[min(coreNeighbors, n-1)].far
	}
	return c, nil
}

// whitened are points in units of the covariance within clusters.
func whitened(x []float64, dim int, labels []int32) []float64 {
	within := mat.NewSymDense(dim, nil)
	n := len(labels)
	for _, points := range partition.New(labels).Clusters() {
		mean, z := make([]float64, dim), make([]float64, dim)
		for _, i := range points {
			floats.AddScaled(mean, 1/float64(len(points)), x[int(i)*dim:(int(i)+1)*dim])
		}
		for _, i := range points {
			floats.SubTo(z, x[int(i)*dim:(int(i)+1)*dim], mean)
			within.SymRankOne(within, 1/float64(n), mat.NewVecDense(dim, z))
		}
	}
	trace := mat.Trace(within) / float64(dim)
	for j := range dim { // for directions without width
		within.SetSym(j, j, within.At(j, j)+1e-9*trace+math.SmallestNonzeroFloat32)
	}
	var factor mat.Cholesky
	var lower mat.TriDense
	factor.Factorize(within)
	factor.LTo(&lower)
	out := make([]float64, 0, len(x))
	for at := 0; at < len(x); at += dim {
		var z mat.VecDense
		_ = z.SolveVec(&lower, mat.NewVecDense(dim, x[at:at+dim])) // the condition is of no concern here
		out = append(out, z.RawVector().Data...)
	}
	return out
}

// Join returns, for each cluster of a partition [N] in order of first appearance, the group of clusters that it belongs
// to: 0, 1, … in order of first appearance. Clusters of a group are linked: at least three points of each are as near
// to the other as 1.5 median core distances of the sparser one.
func (c *Crowding) Join(labels []int32) []int32 {
	p := partition.New(labels)
	k := len(p.Size)
	median := make([]float64, k)
	for j, points := range p.Clusters() {
		core := make([]float64, len(points))
		for a, i := range points {
			core[a] = c.core[i]
		}
		slices.Sort(core)
		median[j] = core[(len(core)-1)/2]
	}
	leads := make([]int, k*k) // points of one cluster that lead to another
	for i, a := range p.Labels {
		seen := make([]bool, k)
		for _, o := range c.near[i] {
			b := p.Labels[o.point]
			reach := max(o.far, c.core[i], c.core[o.point])
			if a != b && !seen[b] && reach <= openness*max(median[a], median[b]) {
				seen[b] = true
				leads[int(a)*k+int(b)]++
			}
		}
	}
	return linked(k, func(a, b int) bool { return min(leads[a*k+b], leads[b*k+a]) >= bridges })
}

// linked are the groups of k things, some of which are linked.
func linked(k int, are func(a, b int) bool) []int32 {
	groups := make([]int32, k)
	for a := range groups {
		groups[a] = -1
	}
	next := int32(0)
	for a := range groups {
		if groups[a] >= 0 {
			continue
		}
		groups[a] = next
		for reached := []int{a}; len(reached) > 0; {
			from := reached[len(reached)-1]
			reached = reached[:len(reached)-1]
			for b := range groups {
				if groups[b] < 0 && are(from, b) {
					groups[b] = next
					reached = append(reached, b)
				}
			}
		}
		next++
	}
	return groups
}
