package dac

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// Inputs returns the points [B,N,D], the mask of the valid ones [B,N] (bool) and their clusters as a one-hot table
// [B,N,K], padded to the buckets; with a likelihood each cluster's mean and variance [B,K,D]; for anchored filtering
// the anchors as a one-hot table [B,N]; for images the random state of dropout [3] (uint64).
//
// rng draws which clusters are removed (Removal), the anchors and the state of dropout. A nil rng draws nothing, for
// evaluation: full sets, each set's first point as its anchor, no dropout.
func (m *Method) Inputs(rng *rand.Rand, batch *data.Batch, buckets models.Buckets) ([]*tensors.Tensor, error) {
	clusters, err := m.countClusters(batch)
	if err != nil {
		return nil, fmt.Errorf("DAC's inputs: %w", err)
	}
	a := newArrays(batch, buckets.Points(batch.N), buckets.Slots(clusters))
	for set := range batch.B {
		x, labels := batch.Set(set)
		labels = m.remove(rng, labels)
		a.fill(set, x, labels)
		if m.peer.Likelihood {
			a.moments(set, x, labels)
		}
		if m.anchored() {
			a.anchor[set*a.n+drawAnchor(rng, labels)] = 1
		}
	}
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(a.x, a.b, a.n, a.d),
		tensors.FromFlatDataAndDimensions(a.valid, a.b, a.n),
		tensors.FromFlatDataAndDimensions(a.members, a.b, a.n, a.k),
	}
	if m.peer.Likelihood {
		in = append(in,
			tensors.FromFlatDataAndDimensions(a.mean, a.b, a.k, a.d),
			tensors.FromFlatDataAndDimensions(a.variance, a.b, a.k, a.d))
	}
	if m.anchored() {
		in = append(in, tensors.FromFlatDataAndDimensions(a.anchor, a.b, a.n))
	}
	if m.Images() && rng != nil {
		in = append(in, models.DropoutState(rng))
	}
	return in, nil
}

// countClusters checks a batch's sizes and returns the largest number of clusters of its sets.
func (m *Method) countClusters(batch *data.Batch) (int, error) {
	b, n, d := batch.B, batch.N, batch.D
	if b < 1 || n < 1 || d != m.Net.Dim || len(batch.X) != b*n*d || len(batch.Labels) != b*n {
		return 0, fmt.Errorf("%d values and %d labels are not %d sets of %d points of %d coordinates",
			len(batch.X), len(batch.Labels), b, n, m.Net.Dim)
	}
	if low, high := slices.Min(batch.Labels), slices.Max(batch.Labels); low < 0 || int(high) >= n {
		return 0, fmt.Errorf("labels lie in %d..%d, but those of %d points must lie in 0..%d", low, high, n, n-1)
	}
	return int(slices.Max(batch.Labels)) + 1, nil
}

// remove returns labels [N] with −1 for the points of removed clusters. At least one cluster stays.
func (m *Method) remove(rng *rand.Rand, labels []int32) []int32 {
	if rng == nil || rng.Float64() >= m.Removal {
		return labels
	}
	k := int(slices.Max(labels)) + 1
	isRemoved := make([]bool, k)
	for _, j := range rng.Perm(k)[:rng.IntN(k)] {
		isRemoved[j] = true
	}
	labels = slices.Clone(labels)
	for i, j := range labels {
		if isRemoved[j] {
			labels[i] = -1
		}
	}
	return labels
}

// drawAnchor returns the index of a point that is there, each with the same probability; the first one without rng.
func drawAnchor(rng *rand.Rand, labels []int32) int {
	var there []int
	for i, j := range labels {
		if j >= 0 {
			there = append(there, i)
		}
	}
	if rng == nil {
		return there[0]
	}
	return there[rng.IntN(len(there))]
}

// arrays are the inputs of a batch on the host, row-major; b, n, k, d are the padded sizes.
type arrays struct {
	b, n, k, d     int
	x              []float32 // [B,N,D]
	valid          []bool    // [B,N]
	members        []float32 // [B,N,K]
	mean, variance []float32 // [B,K,D]
	anchor         []float32 // [B,N]
}

func newArrays(batch *data.Batch, n, k int) *arrays {
	b, d := batch.B, batch.D
	return &arrays{
		b: b, n: n, k: k, d: d,
		x: make([]float32, b*n*d), valid: make([]bool, b*n), members: make([]float32, b*n*k),
		mean: make([]float32, b*k*d), variance: make([]float32, b*k*d), anchor: make([]float32, b*n),
	}
}

// fill enters a set's points x and labels, −1 where a point is not there.
func (a *arrays) fill(set int, x []float32, labels []int32) {
	copy(a.x[set*a.n*a.d:], x)
	for i, j := range labels {
		if j >= 0 {
			a.valid[set*a.n+i] = true
			a.members[(set*a.n+i)*a.k+int(j)] = 1
		}
	}
}

// moments enters mean and variance of the points of each cluster of a set, 0 for clusters without points.
func (a *arrays) moments(set int, x []float32, labels []int32) {
	sizes, mean, variance := make([]float64, a.k), make([]float64, a.k*a.d), make([]float64, a.k*a.d)
	each := func(visit func(j, cell int, value float64)) {
		for i, j := range labels {
			for c, value := range x[i*a.d : (i+1)*a.d] {
				if j >= 0 {
					visit(int(j), int(j)*a.d+c, float64(value))
				}
			}
		}
	}
	for _, j := range labels {
		if j >= 0 {
			sizes[j]++
		}
	}
	each(func(j, cell int, value float64) { mean[cell] += value / sizes[j] })
	each(func(j, cell int, value float64) {
		variance[cell] += (value - mean[cell]) * (value - mean[cell]) / sizes[j]
	})
	for cell := range mean {
		a.mean[set*a.k*a.d+cell] = float32(mean[cell])
		a.variance[set*a.k*a.d+cell] = float32(variance[cell])
	}
}
