package data

import "github.com/gfncp/gfncp/data/augment"

// Batch holds B sets of N points in D dimensions with their true labels; all its sets share one N.
type Batch struct {
	B, N, D int
	X       []float32 // [B,N,D] row-major, in the units of the source
	Labels  []int32   // [B,N] row-major, each set canonical: numbered from 0 by first appearance

	// Index [B,N] tells which point of a pool each point is, or is an augmentation of; nil if there is no pool.
	Index []int32
	// Views [B,N,augment.NumParams] tells how each image is augmented; nil if none is.
	Views []float32
}

// NewBatch returns a batch of the given sizes with every point and label zero.
func NewBatch(b, n, d int) *Batch {
	return &Batch{B: b, N: n, D: d, X: make([]float32, b*n*d), Labels: make([]int32, b*n)}
}

// Set returns set i, 0 ≤ i < B: its points x [N,D] and labels [N]. Both are views: writing to them writes to b.
// An index out of range panics, as indexing a slice does.
func (b *Batch) Set(i int) (x []float32, labels []int32) {
	s := b.Slice(i, i+1)
	return s.X, s.Labels
}

// Slice returns the sets from..to-1 as a batch of to-from sets, for sharding. It is a view: it shares X and Labels with
// b, but appending to it does not touch b. Bounds out of range panic, as slicing a slice does.
func (b *Batch) Slice(from, to int) *Batch {
	n, nd := b.N, b.N*b.D
	part := &Batch{B: to - from, N: b.N, D: b.D, Labels: b.Labels[from*n : to*n : to*n]}
	if b.X != nil {
		part.X = b.X[from*nd : to*nd : to*nd]
	}
	if b.Index != nil {
		part.Index = b.Index[from*n : to*n : to*n]
	}
	if b.Views != nil {
		part.Views = b.Views[from*n*augment.NumParams : to*n*augment.NumParams : to*n*augment.NumParams]
	}
	return part
}

// Source yields batches. The same (seed, step) gives the same bytes: there is no hidden generator state, so an
// interrupted run needs to store nothing about its data. A Source may be used by several goroutines at once.
type Source interface {
	// Batch returns the batch of the given step. The caller owns it.
	Batch(seed uint64, step int) (*Batch, error)
	// Dim returns D, the number of features of a point.
	Dim() int
	// String describes the source and all its settings in one line.
	String() string
}
