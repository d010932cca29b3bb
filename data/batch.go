// Package data draws sets: points with true cluster labels.
//
// It has the prior on partitions (Chinese restaurant process), the sources that draw points for partitions, and the
// centring of points. Models, losses and result files are in other packages.
//
// Axis letters in every shape: B batch, N points of a set, K clusters of a set, D features of a point. Labels are
// int32 and canonical: clusters are numbered from 0 in order of first appearance.
package data

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/partition"
)

// Batch holds B sets of N points in D dimensions with their true labels; all its sets share one N.
type Batch struct {
	B, N, D int
	X       []float32 // [B,N,D] row-major, in the units of the source
	Labels  []int32   // [B,N] row-major, each set canonical: numbered from 0 by first appearance

	// Index [B,N] holds the index in the pool of each point, or of the point that it augments; nil if there is no pool.
	Index []int32
	// Views [B,N,augment.NumParams] holds the augmentation of each image; nil if images are not augmented.
	Views []float32
	// Device holds the points on a device, too, with room for more in each set; nil if they are only on the host. Slice
	// leaves it out.
	Device *tensors.Tensor
	// Alpha [B] is the concentration α of each set's partition; 0 if K is fixed. PoolSource leaves it nil.
	Alpha []float64
}

// NewBatch returns a batch of the given sizes with every point and label zero.
func NewBatch(b, n, d int) *Batch {
	return &Batch{B: b, N: n, D: d, X: make([]float32, b*n*d), Labels: make([]int32, b*n), Alpha: make([]float64, b)}
}

// Set returns set i, 0 ≤ i < B: its points x [N,D] and labels [N]. Both are views: writing to them writes to b.
func (b *Batch) Set(i int) (x []float32, labels []int32) {
	s := b.Slice(i, i+1)
	return s.X, s.Labels
}

// Slice returns the sets from..to-1 as a batch of to-from sets, for sharding. It is a view of b, but appending to it
// does not touch b.
func (b *Batch) Slice(from, to int) *Batch {
	return &Batch{
		B: to - from, N: b.N, D: b.D, X: rows(b.X, from, to, b.N*b.D), Labels: rows(b.Labels, from, to, b.N),
		Index: rows(b.Index, from, to, b.N), Views: rows(b.Views, from, to, b.N*augment.NumParams),
		Alpha: rows(b.Alpha, from, to, 1),
	}
}

// rows returns the rows from..to−1 of a matrix of the given width; nil if x is nil.
func rows[T any](x []T, from, to, width int) []T {
	if x == nil {
		return nil
	}
	return x[from*width : to*width : to*width]
}

// Source yields batches. The same (seed, step) gives the same bytes, so a checkpoint needs no state of the data. A
// Source may be used by several goroutines at once.
type Source interface {
	// Batch returns the batch of the given step. The caller owns it.
	Batch(seed uint64, step int) (*Batch, error)
	// Dim returns D, the number of features of a point.
	Dim() int
}

// clusterSizes returns the number of points in each cluster, shape [K], of labels [N] that are 0..K−1 in any order.
func clusterSizes(labels []int32) []int {
	var sizes []int
	for _, k := range labels {
		for int(k) >= len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[k]++
	}
	return sizes
}

// Rand returns the generator that belongs to (seed, stream, step): ChaCha8 keyed by the SHA-256 of all three. Different
// arguments give unrelated keys, so that no two streams and no two steps share numbers, even for neighbouring seeds.
func Rand(seed uint64, stream string, step int) *rand.Rand {
	key := make([]byte, 0, 32+len(stream))
	key = append(key, "gfncp/data\x00"...)
	key = binary.LittleEndian.AppendUint64(key, seed)
	key = binary.LittleEndian.AppendUint64(key, uint64(int64(step)))
	key = append(key, stream...) // last, as the only part of variable length: different triples give different bytes
	return rand.New(rand.NewChaCha8(sha256.Sum256(key)))
}

// Order draws a random order of n points.
func Order(rng *rand.Rand, n int) []int32 {
	order := make([]int32, n)
	for i, point := range rng.Perm(n) {
		order[i] = int32(point)
	}
	return order
}

// MedianCenter subtracts from each coordinate its median over the points and returns the medians, shape [D].
//
// x has shape [N,D] row-major, holds finite values and is changed in place; n is N and d is D. The median of an even
// number of values is the mean of the middle two: the authors' code takes the lower one, which changes when an axis is
// mirrored. For n = 0 the medians are 0.
func MedianCenter(x []float32, n, d int) (center []float32) {
	center = make([]float32, d)
	if n == 0 {
		return center
	}
	column := make([]float32, n)
	for j := range d {
		for i := range n {
			column[i] = x[i*d+j]
		}
		slices.Sort(column)
		lower, upper := column[(n-1)/2], column[n/2]
		center[j] = float32((float64(lower) + float64(upper)) / 2) // float64: the sum cannot overflow
		for i := range n {
			x[i*d+j] -= center[j]
		}
	}
	return center
}

// Float64s returns x in float64.
func Float64s(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}

// drawing draws the sets of a batch one by one from one generator. All sources use it.
type drawing struct {
	config Config
	prior  prior
}

// Dim returns D.
func (d *drawing) Dim() int { return d.config.Dim }

// shuffle puts the points of a set into a random order. A shared labelling is shuffled already.
func (d *drawing) shuffle(rng *rand.Rand, n int, swap func(i, j int)) {
	if !d.config.Shared {
		rng.Shuffle(n, swap)
	}
}

// draw returns the batch of (seed, step). empty allocates a batch of sets of n points. fill draws the points of a set
// for its canonical labels, which it may reorder.
func (d *drawing) draw(
	seed uint64, step int, empty func(n int) *Batch, fill func(*rand.Rand, *Batch) error,
) (*Batch, error) {
	c := d.config
	rng := Rand(seed, c.Stream, step)
	n := c.points(rng)
	batch := empty(n)
	var labels []int32
	var alpha float64
	for i := range c.Batch {
		if i == 0 || !c.Shared {
			labels, alpha = d.prior.sample(rng, n)
		}
		if i == 0 && c.Shared {
			rng.Shuffle(n, func(a, b int) { labels[a], labels[b] = labels[b], labels[a] })
			partition.Renumber(labels)
		}
		set := batch.Slice(i, i+1)
		copy(set.Labels, labels)
		copy(set.Alpha, []float64{alpha})
		if err := fill(rng, set); err != nil {
			return nil, err
		}
		partition.Renumber(set.Labels)
	}
	return batch, nil
}

// points draws N, the number of points of a set.
func (c Config) points(rng *rand.Rand) int {
	if c.LogN {
		n := int(logUniform(rng, float64(c.NMin), float64(c.NMax)+1))
		return min(max(n, c.NMin), c.NMax) // exp(log n) may round down
	}
	return c.NMin + rng.IntN(c.NMax-c.NMin+1)
}
