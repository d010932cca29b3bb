package benchmarks

import (
	"math"
	"slices"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// Count is work counted from shapes.
type Count struct {
	MultiplyAdds float64 `json:"multiply_adds"`
	Bytes        float64 `json:"bytes"` // read and written
}

// Floor is the least time of a work: that of its multiply-adds in matrix products at the rate that the backend reaches
// in a large one, or that of its bytes at the rate of memory, whichever is longer. Where weights and rows fit into a
// cache, bytes can move faster than that.
type Floor struct {
	Count
	OperationSeconds float64 `json:"operation_seconds"`
	ByteSeconds      float64 `json:"byte_seconds"`
	Seconds          float64 `json:"seconds"`
	Ratio            float64 `json:"measured_over_floor"`
}

func (c Count) floor(r Rates, measured float64) *Floor {
	f := &Floor{Count: c, OperationSeconds: c.MultiplyAdds / r.MultiplyAdds, ByteSeconds: c.Bytes / r.Memory}
	f.Seconds = max(f.OperationSeconds, f.ByteSeconds)
	f.Ratio = measured / f.Seconds
	return f
}

func (c Count) plus(o Count) Count { return Count{c.MultiplyAdds + o.MultiplyAdds, c.Bytes + o.Bytes} }

const floatBytes = 4

// layers counts linear layers of the given widths on rows: each reads its weights once and its input once, and writes
// its output once; bias and ReLU ride along.
func layers(rows float64, widths ...int) (c Count) {
	for i := range widths[1:] {
		in, out := float64(widths[i]), float64(widths[i+1])
		c = c.plus(Count{rows * in * out, floatBytes * (rows*(in+out) + in*out)})
	}
	return c
}

// backward counts the gradients of the same layers: for each the gradient by its weights and that by its input, which
// read the input and the gradient by the output once. The first layer's input is data if fromData, and has no gradient.
func backward(rows float64, fromData bool, widths ...int) Count {
	c := layers(rows, widths...)
	if fromData {
		widths = widths[1:]
	}
	for i := range widths[1:] {
		in, out := float64(widths[i]), float64(widths[i+1])
		c = c.plus(Count{rows * in * out, floatBytes * (rows*in + in*out)})
	}
	return c
}

// The folded networks (package models): an encoder maps D → H in five layers, g maps H → H in five more, f has four and
// one to the energy. Folding itself costs less than a hundred rows and is left out, as are the sums over points.
func encoderWidths(c models.Config) []int { return append([]int{c.Dim}, clusterWidths(c)[1:]...) }
func clusterWidths(c models.Config) []int { return slices.Repeat([]int{c.Hidden}, 6) }
func energyWidths(c models.Config) []int  { return append(clusterWidths(c)[1:], 1) }

// scoreCount counts one step of decoding: g' and the energy of R candidate rows.
func scoreCount(c models.Config, rows float64) Count {
	return layers(rows, clusterWidths(c)...).plus(layers(rows, energyWidths(c)...))
}

type stepSizes struct {
	points          int // M = B·N
	rows            int // R of the data's labels
	sampledRows     int // R of the negative sample
	sampledSets     int // B
	sampledClusters int // clusters of all sets of the negative sample
}

// stepCount counts one GFNCP step of an MLP network: both encoders, g and f of the candidates, forward and backward;
// the negative sample, encoders and candidates forward; its final energy, g of each cluster and f of each set, forward
// and backward.
func stepCount(c models.Config, n stepSizes) Count {
	encoder, g, f := encoderWidths(c), clusterWidths(c), energyWidths(c)
	both := func(rows int, fromData bool, widths []int) Count {
		return layers(float64(rows), widths...).plus(backward(float64(rows), fromData, widths...))
	}
	total := scoreCount(c, float64(n.sampledRows))
	for range 2 { // h and u: in training, and once more for the negative sample
		total = total.plus(both(n.points, true, encoder)).plus(layers(float64(n.points), encoder...))
	}
	total = total.plus(both(n.rows, false, g)).plus(both(n.rows, false, f))
	return total.plus(both(n.sampledClusters, false, g)).plus(both(n.sampledSets, false, f))
}

// candidateRows is R without padding: the number of candidates of the labels [B,N] of B sets.
func candidateRows(labels []int32, b, n int) (int, error) {
	as := func(n int) int { return n }
	c, err := models.ListCandidates(labels, b, n, models.Buckets{Points: as, Rows: as, Slots: as})
	if err != nil {
		return 0, err
	}
	return c.R, nil
}

// sizes counts the first step of training.
func (p *parts) sizes() (n stepSizes, err error) {
	if err = p.prepare(); err != nil {
		return n, err
	}
	sampled, err := p.sample()
	if err != nil {
		return n, err
	}
	n.points, n.sampledSets = p.sets.B*p.sets.N, p.sets.B
	n.sampledClusters = int(math.Round(meanClusters(sampled) * float64(p.sets.B)))
	if n.rows, err = candidateRows(p.sets.Labels, p.sets.B, p.sets.N); err != nil {
		return n, err
	}
	n.sampledRows, err = candidateRows(slices.Concat(sampled...), p.sets.B, p.sets.N)
	return n, err
}

// floorWorks are a training step and one step of the decoding loop on each batch and on one set, each with its floor.
func (s Suite) floorWorks() (works []work) {
	for _, shape := range s.Sizes.Batches {
		w := s.step("floor", "step gfncp", shape, s.Config(train.GFNCP))
		w.known = true
		w.count = func() (Count, error) {
			p := &parts{suite: s, shape: shape}
			sizes, err := p.sizes()
			return stepCount(p.config.Net, sizes), err
		}
		works = append(works, w, s.score(Shape{shape.Sets, 1, shape.Clusters}))
	}
	for _, clusters := range s.Sizes.Clusters {
		works = append(works, s.score(Shape{1, 1, clusters}))
	}
	return works
}

// scoreCalls is the number of calls that are timed together: one lasts microseconds.
const scoreCalls = 20

// score is one decoding step of B sequences with K clusters each, on the host's loop: R = B·(K+1) padded candidates.
func (s Suite) score(shape Shape) work {
	c := s.Config(train.GFNCP).Net
	rows := shape.Sets * (shape.Clusters + 1)
	w := work{Result: shape.result("floor", "decoding step", train.GFNCP), together: scoreCalls}
	w.count = func() (Count, error) { return scoreCount(c, float64(rows)), nil }
	w.open = func(*Result) (func() error, error) {
		net, err := models.NewNetwork(s.Backend, c, c.Init(rng()))
		if err != nil {
			return nil, err
		}
		padded := net.DecisionRows(rows)
		random := rng()
		sums, rest := make([]float32, padded*c.Hidden), make([]float32, padded*c.Hidden)
		for i := range sums {
			sums[i], rest[i] = float32(random.NormFloat64()), float32(random.NormFloat64())
		}
		cluster, energy := make([]float32, padded*c.Hidden), make([]float32, padded)
		return func() error { return net.Score(sums, rest, padded, cluster, energy) }, nil
	}
	return w
}
