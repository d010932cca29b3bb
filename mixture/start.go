package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// startSizes are the numbers of clusters that the chains start from, fewer if a cluster would have less than startRows
// rows on average.
var startSizes = [...]struct{ clusters, startRows, tail int }{
	{1, 1, 4}, {12, 20, gaussian}, {5, 20, 4}, {25, 15, gaussian},
}

// revealedChain is the chain that starts from groups in directions of least kurtosis, if they explain the rows better
// than its usual start.
const revealedChain = 2

// coreChain is the chain that starts from the rows in the densest place and the others, if they explain the rows better
// than its usual start and than one cluster.
const coreChain = 1

// newStart returns the partition and the index of ν from which a chain starts: one cluster, or clusters around random
// rows, which narrowest, revealed or core may improve.
func newStart(r *rows, chain int, rng random) (labels []int32, tail int) {
	kind := startSizes[chain]
	number := kind.clusters
	if number > 1 {
		number = max(2, min(number, r.n/kind.startRows))
	}
	number = min(max(number, r.known.least), r.known.mostClusters(), r.n)
	labels = make([]int32, r.n)
	switch {
	case number > 1 && r.shared:
		labels = r.narrowest(number, rng)
	case number > 1:
		r.assignNearest(rng.Perm(r.n)[:number], labels)
	}
	if chain == revealedChain && number > 1 && r.dim() > 2 {
		other := newRandom(uint64(r.n), 0x72657665616c) // the chain draws the same if the groups do not help
		common := func(labels []int32) float64 { return newChain(r, labels, gaussian, other).logCommon() }
		if shown := r.revealed(other); shown != nil && common(shown) > common(labels) {
			labels = shown
		}
	}
	if chain == coreChain && r.dim() > 0 {
		other := newRandom(uint64(r.n), 0x636f7265)
		joint := func(labels []int32) float64 { return newChain(r, labels, gaussian, other).joint() }
		if core := r.core(); joint(core) > max(joint(labels), joint(make([]int32, r.n))) {
			labels = core
		}
	}
	r.known.mend(labels)
	return labels, kind.tail
}

// core returns labels [n]: 1 for the rows in the densest place, 0 for all others. A group that is narrow inside a wide
// one lies there. No split of the wide group finds it.
func (r *rows) core() []int32 {
	const share, most, wider = 30, 300, 2 // of the rows; places that are tried; radius in distances to the share
	distances, densest, least := make([]float64, r.n), 0, math.Inf(1)
	from := func(centre int) []float64 {
		clear(distances)
		for _, column := range r.columns {
			for i, x := range column {
				distances[i] += (x - column[centre]) * (x - column[centre])
			}
		}
		return distances
	}
	places := min(most, r.n)
	for k := range places {
		centre := k * r.n / places
		rising := from(centre)
		slices.Sort(rising)
		if radius := rising[r.n/share]; radius < least {
			densest, least = centre, radius
		}
	}
	labels := make([]int32, r.n)
	for i, distance := range from(densest) {
		if distance <= wider*wider*least {
			labels[i] = 1
		}
	}
	return labels
}

// joint returns log p(rows, labels | hyperparameters) of the present partition.
func (c *chain) joint() (log float64) {
	for _, k := range c.clusters {
		c.gather.summarize(&k.summary, k.members, c.scales)
		c.refresh(k)
		log += k.log
	}
	c.partition.begin(c.alpha, c.clusters)
	return log + c.partition.log(len(c.clusters))
}

// assignNearest gives each row the label of the nearest centre; centres are rows. Cells are bounded. Otherwise all
// other rows would share a cluster if a few rows lie far out.
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

// withinShape returns the covariance within the clusters of labels [n], slightly enlarged, and their means [K][D], NaN
// for a cluster without rows.
func (r *rows) withinShape(labels []int32) (shape []float64, means [][]float64) {
	const wider, floor = 1.01, 1e-4
	dim, number := r.dim(), int(slices.Max(labels))+1
	sizes := make([]float64, number)
	for _, label := range labels {
		sizes[label]++
	}
	means, shape = grid(number, dim), make([]float64, dim*dim)
	for k, mean := range means {
		if sizes[k] == 0 {
			floats.AddConst(math.NaN(), mean)
		}
	}
	deviations := r.matrix()
	for d, column := range r.columns {
		for i, x := range column {
			means[labels[i]][d] += x / sizes[labels[i]]
		}
		row := deviations.Data[d*r.n : (d+1)*r.n]
		for i, label := range labels {
			row[i] -= means[label][d]
		}
	}
	addProduct(shape, wider/float64(r.n), deviations)
	for d := range dim {
		shape[d*dim+d] += floor
	}
	return shape, means
}

// matrix returns a copy of the columns [D,n].
func (r *rows) matrix() blas64.General {
	return blas64.General{Rows: r.dim(), Cols: r.n, Stride: r.n, Data: slices.Concat(r.columns...)}
}

// narrowest returns the labels [n] of number clusters that have, of some random starts, the least determinant of the
// covariance within them (Friedman & Rubin 1967).
func (r *rows) narrowest(number int, rng random) (best []int32) {
	const work, most = 3e8, 100
	starts := max(1, min(most, int(work/float64(narrowSteps*r.n*r.dim()*(r.dim()+number)))))
	least := math.Inf(1)
	for range starts {
		labels := make([]int32, r.n)
		r.assignNearest(rng.Perm(r.n)[:number], labels)
		if volume := r.narrow(labels); volume < least {
			best, least = labels, volume
		}
	}
	return best
}

const narrowSteps = 12

// narrow moves each row to the nearest mean, by the covariance within all clusters, several times: the clusters become
// narrow where all of them can be. It returns the log determinant of the last covariance.
func (r *rows) narrow(labels []int32) (volume float64) {
	nearest, distances := make([]float64, r.n), make([]float64, r.n)
	for range narrowSteps {
		floats.AddConst(math.Inf(1), nearest)
		factor, means := r.withinShape(labels)
		volume = cholesky(factor, factor, r.dim())
		whitened := r.matrix()
		blas64.Trsm(blas.Left, blas.NoTrans, 1, triangle(factor, r.dim(), blas.Lower), whitened)
		for k, mean := range means { // NaN is never nearest
			solveLower(factor, mean)
			clear(distances)
			for d, centre := range mean {
				for i, x := range whitened.Data[d*r.n : (d+1)*r.n] {
					distances[i] += (x - centre) * (x - centre)
				}
			}
			for i, distance := range distances {
				if distance < nearest[i] {
					nearest[i], labels[i] = distance, int32(k)
				}
			}
		}
	}
	return volume
}
