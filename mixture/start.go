package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// startSizes are the numbers of clusters that the chains start from, fewer if a cluster would have less than startRows
// rows on average.
var startSizes = [...]struct{ clusters, startRows, tail int }{
	{1, 1, 4}, {12, 20, gaussian}, {5, 20, 4}, {25, 15, gaussian},
}

// newStart returns the partition and the index of ν that a chain starts from: one cluster, or a cluster around each of
// some random rows.
func newStart(r *rows, chain int, rng random) (labels []int32, tail int) {
	kind := startSizes[chain]
	number := kind.clusters
	if number > 1 {
		number = max(2, min(number, r.n/kind.startRows))
	}
	number = min(max(number, r.known.least), r.known.mostClusters(), r.n)
	labels = make([]int32, r.n)
	if number > 1 {
		r.assignNearest(rng.Perm(r.n)[:number], labels)
		if r.shared {
			r.assignByShape(number, labels)
		}
	}
	r.known.mend(labels)
	return labels, kind.tail
}

// assignNearest gives each row the label of the nearest centre; centres are rows. Differences are bounded, lest all
// other rows share a cluster when a few lie far out.
func (r *rows) assignNearest(centres []int, labels []int32) {
	const bound = 6
	nearest := make([]float64, r.n)
	for k, centre := range centres {
		for i := range r.n {
			distance := 0.0
			for _, column := range r.columns {
				x := max(-bound, min(bound, column[i])) - max(-bound, min(bound, column[centre]))
				distance += x * x
			}
			for _, codes := range r.codes {
				if codes[i] != codes[centre] {
					distance += differingVar
				}
			}
			if k == 0 || distance < nearest[i] {
				nearest[i], labels[i] = distance, int32(k)
			}
		}
	}
}

// start sets the shared shape of a chain that begins, and expects clusters to be near it.
func (l *law) start(shape []float64) {
	const near = 512 // surplus
	copy(l.shared, shape)
	l.df = float64(len(l.centre)) + 1 + near
	l.refresh()
}

// withinShape returns the covariance within the clusters of labels [n], slightly enlarged.
func (r *rows) withinShape(labels []int32) []float64 {
	m := newTailedEM(r, int(slices.Max(labels))+1, math.Inf(1))
	return m.pooled(labels)
}

// assignByShape gives each row the label of the nearest of number clusters, by the covariance within them, several
// times: the clusters become narrow where all of them can be.
func (r *rows) assignByShape(number int, labels []int32) {
	const steps = 12
	m := newTailedEM(r, number, math.Inf(1))
	for range steps {
		shape := m.pooled(labels)
		for k := range m.components {
			copy(m.covariance[k], shape)
			m.setFactor(k)
			m.components[k].distances(m.gather.columns, 0, m.distances[k])
		}
		for i := range labels {
			for k := range m.components {
				if m.sizes[k] > 0 && m.distances[k][i] < m.distances[labels[i]][i] {
					labels[i] = int32(k)
				}
			}
		}
	}
}

// pooled fits the means of the components to the rows with their labels. It returns the covariance within clusters.
func (m *em) pooled(labels []int32) []float64 {
	const wider, floor = 1.01, 1e-4
	dim := m.rows.dim()
	shape, total := make([]float64, dim*dim), 0.0
	for k, shares := range m.shares {
		for i, label := range labels {
			shares[i] = 0
			if int(label) == k {
				shares[i] = 1
			}
		}
		m.weigh(k, false)
		m.sizes[k] = m.gather.moments(m.weights, m.components[k].mean, m.covariance[k])
		floats.Add(shape, m.covariance[k])
		total += m.sizes[k]
	}
	floats.Scale(1/total, shape)
	for d := range dim {
		shape[d*dim+d] = wider*shape[d*dim+d] + floor
	}
	return shape
}
