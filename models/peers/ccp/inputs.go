package ccp

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// numInputs is the number of tensors that the objective reads, the random state of dropout excepted.
const numInputs = 10

// inputs are the nodes of the objective's tensors. Means are taken by matrix products, so that padded points, clusters
// and rows have weight 0 and need no masks.
type inputs struct {
	x        *Node // [B,N,D]
	clusters *Node // [B,K,N]: the mean over each cluster's points
	before   *Node // [B,T,K]: 1 for the clusters found before a step
	anchor   *Node // [B,T,N]: 1 at the anchor
	// [B,3T,N]: the means over the other unassigned points: T rows over all, T in and T outside of the cluster
	means  *Node
	weight *Node // [R]: of a row in the objective, 0 where padded
	noise  *Node // [R,S,L]: ε ~ N(0, 1)
	row    *Node // [P]: the row of a pair, −1 where padded
	point  *Node // [P,2]: the pair's point in x as a number in 0..B·N−1, and 1 if it is in the cluster
	pair   *Node // [B·N,T]: the pair of a point in each row of its set, P without a pair
}

// inputsFrom is the inverse of problem.tensors.
func inputsFrom(in []*Node) inputs {
	return inputs{
		x: in[0], clusters: in[1], before: in[2], anchor: in[3], means: in[4], weight: in[5], noise: in[6],
		row: in[7], point: in[8], pair: in[9],
	}
}

// byPair returns the row of x [B·N,W] of each pair's point: [P,W]. On a device its gradient is a gather, as in
// models/gathers.go, because a point has at most one pair in a row. The Go backend adds up in a fixed order by itself.
func (in inputs) byPair(x *Node) *Node {
	point := Slice(in.point, AxisRange(), AxisRange(0, 1))
	if engine.OnGo(x.Graph().Backend()) {
		return Gather(x, point)
	}
	return byPairGathered(x, point, in.pair)
}

func byPairGathered(x, point, pair *Node) *Node {
	return engine.GatherWith(x, point, func(v *Node) *Node {
		none := Zeros(v.Graph(), shapes.Make(v.DType(), 1, v.Shape().Dimensions[1]))
		each := Gather(Concatenate([]*Node{v, none}, 0), InsertAxes(pair, -1)) // [B·N,T,W]
		return ReduceSum(each, 1)
	})
}

// Inputs draws for each set of a batch the order of its clusters, the steps to look at and the noise of z; for images
// also the random state of dropout. The sets' labels may be any numbers.
func (m *Method) Inputs(rng *rand.Rand, batch *data.Batch, buckets models.Buckets) ([]*tensors.Tensor, error) {
	in := m.tensors(m.choose(rng, batch), m.Steps, m.peer.Samples, buckets)
	if m.net.Encoder == models.EncoderConv {
		in = append(in, models.DropoutState(rng))
	}
	return in, nil
}

// choose draws the steps of each set of a batch.
func (m *Method) choose(rng *rand.Rand, batch *data.Batch) []labelledSet {
	sets := make([]labelledSet, batch.B)
	for b := range sets {
		x, labels := batch.Set(b)
		sets[b] = newSet(rng, x, labels)
		sets[b].choose(m.Steps)
	}
	return sets
}

// tensors returns the objective's tensors for sets of one size, each of them with up to t steps, and draws the noise.
func (m *Method) tensors(sets []labelledSet, t, samples int, buckets models.Buckets) []*tensors.Tensor {
	p := newProblem(sets, t, m.net.Dim, buckets)
	noise := make([]float32, len(sets)*t*samples*m.peer.Latent)
	for b, set := range sets {
		row := noise[b*t*samples*m.peer.Latent:]
		for i := range len(set.steps) * samples * m.peer.Latent {
			row[i] = float32(set.rng.NormFloat64())
		}
		p.add(b, set)
	}
	return p.tensors(tensors.FromFlatDataAndDimensions(noise, p.b*t, samples, m.peer.Latent), buckets)
}

// problem gathers the tensors on the host: see inputs for the shapes.
type problem struct {
	b, t, n, k, d                   int
	x                               []float32 // [B,count,D], not padded
	clusters, before, anchor, means []float32
	weight                          []float32
	row, point, pair                []int32
}

func newProblem(sets []labelledSet, t, d int, buckets models.Buckets) *problem {
	k := 0
	for _, set := range sets {
		k = max(k, set.k)
	}
	p := &problem{b: len(sets), t: t, n: buckets.Points(len(sets[0].labels)), k: buckets.Slots(k), d: d}
	p.clusters = make([]float32, p.b*p.k*p.n)
	p.before, p.anchor = make([]float32, p.b*t*p.k), make([]float32, p.b*t*p.n)
	p.means, p.weight = make([]float32, p.b*3*t*p.n), make([]float32, p.b*t)
	p.pair = slices.Repeat([]int32{-1}, p.b*p.n*t)
	return p
}

func (p *problem) add(b int, set labelledSet) {
	p.x = append(p.x, set.x...)
	members := make([][]int32, set.k)
	for i, c := range set.labels {
		members[c] = append(members[c], int32(i))
	}
	for c, points := range members {
		mean(p.clusters[(b*p.k+c)*p.n:], points)
	}
	for j, s := range set.steps {
		row := b*p.t + j
		for _, c := range s.before {
			p.before[row*p.k+int(c)] = 1
		}
		p.anchor[row*p.n+int(s.anchor)] = 1
		at := func(kind int) []float32 { return p.means[((b*3+kind)*p.t+j)*p.n:] }
		mean(at(0), slices.Concat(s.in, s.out))
		mean(at(1), s.in)
		mean(at(2), s.out)
		p.weight[row] = set.weight
		p.addPairs(b, row, s.in, 1)
		p.addPairs(b, row, s.out, 0)
	}
}

func mean(weights []float32, points []int32) {
	for _, i := range points {
		weights[i] = 1 / float32(len(points))
	}
}

func (p *problem) addPairs(b, row int, points []int32, joined int32) {
	for _, i := range points {
		at := int32(b*p.n) + i
		p.pair[int(at)*p.t+row%p.t] = int32(len(p.row))
		p.row, p.point = append(p.row, int32(row)), append(p.point, at, joined)
	}
}

// tensors pads the pairs and returns all tensors in the order of inputsFrom.
func (p *problem) tensors(noise *tensors.Tensor, buckets models.Buckets) []*tensors.Tensor {
	count := buckets.Rows(max(len(p.row), 1))
	for len(p.row) < count {
		p.row, p.point = append(p.row, -1), append(p.point, 0, 0)
	}
	for i, pair := range p.pair {
		if pair < 0 {
			p.pair[i] = int32(count)
		}
	}
	return []*tensors.Tensor{
		models.PadPoints(p.x, p.b, len(p.x)/(p.b*p.d), p.n, p.d),
		tensors.FromFlatDataAndDimensions(p.clusters, p.b, p.k, p.n),
		tensors.FromFlatDataAndDimensions(p.before, p.b, p.t, p.k),
		tensors.FromFlatDataAndDimensions(p.anchor, p.b, p.t, p.n),
		tensors.FromFlatDataAndDimensions(p.means, p.b, 3*p.t, p.n),
		tensors.FromFlatDataAndDimensions(p.weight, p.b*p.t),
		noise,
		tensors.FromFlatDataAndDimensions(p.row, count),
		tensors.FromFlatDataAndDimensions(p.point, count, 2),
		tensors.FromFlatDataAndDimensions(p.pair, p.b*p.n, p.t),
	}
}

// step is one step of the process that finds the clusters of given labels: points and clusters by their numbers.
type step struct {
	anchor  int32
	in, out []int32 // the other unassigned points in the anchor's cluster, and outside of it
	before  []int32 // the clusters found so far
}

func (s step) others() int { return len(s.in) + len(s.out) }

// drawSteps finds the clusters of labels [N] in a random order: each time the cluster of an anchor that is drawn
// uniformly from the unassigned points. A step without another unassigned point has probability 1 and is left out.
func drawSteps(rng *rand.Rand, labels []int32) []step {
	left := partition.Singletons(len(labels))
	var steps []step
	var found []int32
	for len(left) > 0 {
		s := step{anchor: left[rng.IntN(len(left))], before: found[:len(found):len(found)]}
		cluster := labels[s.anchor]
		for _, i := range left {
			switch {
			case i == s.anchor:
			case labels[i] == cluster:
				s.in = append(s.in, i)
			default:
				s.out = append(s.out, i)
			}
		}
		if s.others() > 0 {
			steps = append(steps, s)
		}
		found, left = append(found, cluster), s.out
	}
	return steps
}

// labelledSet is a set with some steps towards its labels.
type labelledSet struct {
	x      []float32 // [N,D]
	labels []int32   // [N], canonical
	k      int       // clusters
	steps  []step
	weight float32 // of each step in the objective
	rng    *rand.Rand
}

// newSet returns a set without steps. Its own generator is seeded by rng, so that its random numbers do not depend on
// the other sets.
func newSet(rng *rand.Rand, x []float32, labels []int32) labelledSet {
	canonical, k := metrics.Canonical(labels)
	return labelledSet{x: x, labels: canonical, k: k, rng: peers.SplitRand(rng), weight: 1}
}

// choose draws the set's steps and keeps at most count of them, weighted to the sum over all in expectation.
func (s *labelledSet) choose(count int) {
	all := drawSteps(s.rng, s.labels)
	if len(all) <= count {
		s.steps = all
		return
	}
	for _, i := range s.rng.Perm(len(all))[:count] {
		s.steps = append(s.steps, all[i])
	}
	s.weight = float32(len(all)) / float32(count)
}
