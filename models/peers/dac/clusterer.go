package dac

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// mostRows is the number of points, padded ones included, that one call of the network takes. It bounds the memory.
const mostRows = 1 << 15

type clusterer struct {
	*peers.Opened
	method         *Method
	encode, filter peers.Func // encode is nil for vectors
	rows           int        // the most points of one call: mostRows
}

// Open puts weights on a backend for clustering. Weights that are not of this layout are an error.
func (m *Method) Open(backend compute.Backend, weights models.Params) (peers.Clusterer, error) {
	o, err := peers.OpenWeights("DAC", backend, m.Layout(), weights, m.Net.Dim)
	if err != nil {
		return nil, err
	}
	c := &clusterer{Opened: o, method: m, rows: mostRows}
	c.filter = o.Func("filter", func(w, in []*Node) []*Node {
		var anchor *Node
		if m.anchored() {
			anchor = in[2]
		}
		logits, _ := m.filter(w, in[0], in[1], anchor)
		return []*Node{logits}
	})
	if m.Images() {
		c.encode = o.Func("encoder", func(w, in []*Node) []*Node {
			return []*Node{m.Encode(peers.Weights{Layout: m.Layout(), Nodes: w}, InsertAxes(in[0], 0), nil)}
		})
	}
	return c, nil
}

// Cluster finds cluster after cluster: in each round the points with a positive logit leave as one cluster. If no logit
// is positive, only the point with the largest logit leaves. The anchor of anchored filtering, which rng draws, is in
// its cluster whatever its logit. The points left after 50 rounds are one last cluster. The labels are canonical,
// [B][N].
func (c *clusterer) Cluster(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	points, err := c.encodeAll(x, b, n)
	if err != nil {
		return nil, fmt.Errorf("DAC: %w", err)
	}
	s := search{clusterer: c, points: points, b: b, n: n}
	if c.method.anchored() {
		for range b {
			s.anchors = append(s.anchors, peers.SplitRand(rng))
		}
	}
	return peers.Rounds(b, n, maxRounds, s.find)
}

// encodeAll returns the points that the filter reads [B,N,F]. Images are encoded once for all rounds.
func (c *clusterer) encodeAll(x []float32, b, n int) ([]float32, error) {
	if c.encode == nil {
		return x, nil
	}
	size := min(c.rows, c.Buckets.Points(b*n))
	all, err := c.Map(c.encode, x, size, func(int) int { return size })
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// maxRounds is the number of rounds after which the points left form one last cluster (published).
const maxRounds = 50

// search finds clusters among the points of one call of Cluster.
type search struct {
	*clusterer
	points  []float32 // [B,N,F]
	b, n    int
	anchors []*rand.Rand // of each set; nil for min-filtering
}

// find looks for one cluster in each set and returns which points leave with it.
func (s search) find(left []peers.Left) ([][]bool, error) {
	anchors := slices.Repeat([]int{-1}, len(left)) // places among the points left
	for i, l := range left {
		if s.anchors != nil {
			anchors[i] = s.anchors[l.Set].IntN(len(l.Points))
		}
	}
	logits, err := s.logits(left, anchors)
	leave := make([][]bool, len(logits))
	for i := 0; i < len(leave) && err == nil; i++ {
		leave[i], err = leaving(logits[i], anchors[i])
	}
	if err != nil {
		return nil, fmt.Errorf("DAC: %w", err)
	}
	return leave, nil
}

// logits returns a logit for each point left. Only these go into the network, as if the others were masked. Sizes are
// rounded up coarsely, since they shrink from round to round and each pair of them compiles a graph.
func (s search) logits(left []peers.Left, anchors []int) (logits [][]float32, err error) {
	most := 0
	for _, l := range left {
		most = max(most, len(l.Points))
	}
	size := min(s.Buckets.Points(s.n), models.CoarseBuckets.Points(most))
	sets := min(s.b, 1<<bits.Len(uint(len(left)-1)), max(1, s.rows/size))
	for part := range slices.Chunk(left, sets) {
		values, err := s.filter(s.inputs(part, anchors[len(logits):], sets, size)...)
		if err != nil {
			return nil, err
		}
		for i, l := range part {
			logits = append(logits, values[0][i*size:i*size+len(l.Points)])
		}
	}
	return logits, nil
}

// inputs are the tensors that filter reads for some sets, padded to sets × size points.
func (s search) inputs(left []peers.Left, anchors []int, sets, size int) []*tensors.Tensor {
	f := s.method.Features()
	x, valid, anchor := make([]float32, sets*size*f), make([]bool, sets*size), make([]float32, sets*size)
	for i, l := range left {
		for at, point := range l.Points {
			row, from := i*size+at, l.Set*s.n+int(point)
			copy(x[row*f:(row+1)*f], s.points[from*f:(from+1)*f])
			valid[row] = true
		}
		if anchors[i] >= 0 {
			anchor[i*size+anchors[i]] = 1
		}
	}
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x, sets, size, f),
		tensors.FromFlatDataAndDimensions(valid, sets, size),
	}
	if s.method.anchored() {
		in = append(in, tensors.FromFlatDataAndDimensions(anchor, sets, size))
	}
	return in
}

// leaving reports which points leave: those with positive logits, and the anchor, unless it is −1. Without such a
// point, the point with the largest logit leaves (the first of equals). It fails for a logit that is not finite.
func leaving(logits []float32, anchor int) ([]bool, error) {
	leave, best := make([]bool, len(logits)), 0
	for i, l := range logits {
		if !metrics.IsFinite(l) {
			return nil, fmt.Errorf("the logit of a point is %g", l)
		}
		leave[i] = l > 0
		if l > logits[best] {
			best = i
		}
	}
	if anchor >= 0 {
		best = anchor
	}
	leave[best] = true
	return leave, nil
}
