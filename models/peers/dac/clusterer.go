package dac

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/partition"
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
	c.filter, err = o.Func("filter", func(w, in []*Node) []*Node {
		var anchor *Node
		if m.anchored() {
			anchor = in[2]
		}
		logits, _ := m.filter(w, in[0], in[1], anchor)
		return []*Node{logits}
	})
	if err == nil && m.Images() {
		c.encode, err = o.Func("encoder", func(w, in []*Node) []*Node {
			return []*Node{m.Encode(peers.Weights{Layout: m.Layout(), Nodes: w}, InsertAxes(in[0], 0), nil)}
		})
	}
	return c, err
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
	var anchors []*rand.Rand
	if c.method.anchored() {
		anchors = make([]*rand.Rand, b)
		for set := range anchors {
			anchors[set] = rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		}
	}
	s := search{clusterer: c, points: points, b: b, n: n}
	return clusterInRounds(s.find, anchors, b, n)
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

// search finds clusters among the points of one call of Cluster.
type search struct {
	*clusterer
	points []float32 // [B,N,F]
	b, n   int
}

// find is the network as a finder: only the points left go in, as if the others were masked. Sizes are rounded up
// coarsely, since they shrink from round to round and each pair of them compiles a graph.
func (s search) find(left []remainder) ([][]float32, error) {
	most := 0
	for _, r := range left {
		most = max(most, len(r.points))
	}
	size := min(s.Buckets.Points(s.n), models.CoarseBuckets.Points(most))
	sets := min(s.b, 1<<bits.Len(uint(len(left)-1)), max(1, s.rows/size))
	var logits [][]float32
	for len(left) > 0 {
		part := left[:min(sets, len(left))]
		left = left[len(part):]
		values, err := s.filter(s.inputs(part, sets, size)...)
		if err != nil {
			return nil, err
		}
		for i, r := range part {
			logits = append(logits, values[0][i*size:i*size+len(r.points)])
		}
	}
	return logits, nil
}

// inputs are the tensors that filter reads for some remainders, padded to sets × size points.
func (s search) inputs(left []remainder, sets, size int) []*tensors.Tensor {
	f := s.method.Features()
	x, valid, anchor := make([]float32, sets*size*f), make([]bool, sets*size), make([]float32, sets*size)
	for i, r := range left {
		for at, point := range r.points {
			row, from := i*size+at, r.set*s.n+int(point)
			copy(x[row*f:(row+1)*f], s.points[from*f:(from+1)*f])
			valid[row] = true
		}
		if r.anchor >= 0 {
			anchor[i*size+r.anchor] = 1
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

// maxRounds is the number of rounds after which the points left form one last cluster (published).
const maxRounds = 50

// remainder holds the points of a set that have no cluster yet.
type remainder struct {
	set    int
	points []int32 // indices of the points without a cluster, ascending
	anchor int     // position in points of the anchor, −1 for min-filtering
}

// finder looks for one cluster in each remainder: it returns a logit for each of its points to be in it.
type finder func(left []remainder) ([][]float32, error)

// clusterInRounds finds cluster after cluster of b sets of n points and returns canonical labels [B][N]. All sets with
// points left go through a round side by side. anchors [B] draws each set's anchors; nil for min-filtering.
func clusterInRounds(find finder, anchors []*rand.Rand, b, n int) ([][]int32, error) {
	labels := make([][]int32, b)
	left := make([]remainder, b)
	for set := range b {
		labels[set] = make([]int32, n)
		left[set] = remainder{set: set, points: partition.Singletons(n), anchor: -1}
	}
	for round := range maxRounds {
		left = slices.DeleteFunc(left, func(r remainder) bool {
			isDecided := len(r.points) <= 1 // a single point is a cluster of its own, without asking the network
			if isDecided {
				r.close(labels[r.set], round)
			}
			return isDecided
		})
		if len(left) == 0 {
			break
		}
		for i, r := range left {
			if anchors != nil {
				left[i].anchor = anchors[r.set].IntN(len(r.points))
			}
		}
		logits, err := find(left)
		if err != nil {
			return nil, fmt.Errorf("DAC, round %d: %w", round+1, err)
		}
		for i := range left {
			if err := left[i].take(logits[i], labels[left[i].set], round); err != nil {
				return nil, fmt.Errorf("DAC, round %d: %w", round+1, err)
			}
		}
	}
	for _, r := range left {
		r.close(labels[r.set], maxRounds)
	}
	for set := range labels {
		labels[set], _ = metrics.Canonical(labels[set])
	}
	return labels, nil
}

func (r remainder) close(labels []int32, cluster int) {
	for _, i := range r.points {
		labels[i] = int32(cluster)
	}
}

// take labels the points with positive logits, and the anchor if any, with the number of a cluster, and keeps the
// others. Without such a point, it labels the point with the largest logit (the first of equals).
func (r *remainder) take(logits []float32, labels []int32, cluster int) error {
	best := 0
	for i, l := range logits {
		if !metrics.IsFinite(l) {
			return fmt.Errorf("set %d: the logit of point %d is %g", r.set, r.points[i], l)
		}
		if l > logits[best] {
			best = i
		}
	}
	if r.anchor >= 0 {
		best = r.anchor
	}
	kept := r.points[:0]
	for i, point := range r.points {
		if logits[i] > 0 || i == best {
			labels[point] = int32(cluster)
		} else {
			kept = append(kept, point)
		}
	}
	r.points = kept
	return nil
}
