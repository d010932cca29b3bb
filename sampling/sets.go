package sampling

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/models"
)

// Sets holds the embedded points of B sets, ready for any number of sequences, as long as the network's weights stay
// the same.
type Sets struct {
	Net  *models.Network
	B, N int
	// Progress, if it is set before a run, is called during the run with the steps done and their number. Beam does
	// not.
	Progress func(done, total int)

	ctx        context.Context                  // of the encoding and of every run, as with an http.Request
	onHost     func() (embedding, error)        // embeds the sets on the host, once
	embedThere func() (*models.Embedded, error) // embeds the sets on a device, in each run; else nil
}

// Encode embeds B sets of N points x [B,N,D] for decoding, until ctx ends. The end of ctx also ends every run on the
// sets: it returns the context's error before the next step or, on a device, the next thousand steps.
func Encode(ctx context.Context, net *models.Network, x []float32, b, n int) (*Sets, error) {
	if b < 1 || n < 1 || len(x) != b*n*net.Config.Dim {
		return nil, fmt.Errorf("encode %d sets of %d points in %d dimensions: got %d values",
			b, n, net.Config.Dim, len(x))
	}
	s := newSets(ctx, net, b, n, func() (h, u []float32, err error) {
		if b == 1 { // in smaller parts
			return net.EncodeSome(ctx, x, x)
		}
		return net.Encode(ctx, x, n)
	})
	if net.Device && net.FitsDevice(b, n) {
		s.embedThere = func() (*models.Embedded, error) { return net.EmbedSets(x, b, n) }
		return s, nil
	}
	_, err := s.onHost()
	return s, err
}

// Use tells that the points are on the device already, as models.Network.EmbedThere takes them. They must not be freed
// while the sets are in use.
func (s *Sets) Use(there *tensors.Tensor) {
	s.embedThere = func() (*models.Embedded, error) { return s.Net.EmbedThere(there, s.N) }
}

// Embedded returns B sets of N points that are embedded already, as h' [B,N,W] and u' [B,N,V] (models.Network.Encode).
// The slices must not change while the sets are in use.
func Embedded(net *models.Network, h, u []float32, b, n int) *Sets {
	return newSets(context.Background(), net, b, n, func() ([]float32, []float32, error) { return h, u, nil })
}

// Sequence is one pass over a set: Set is its index, Order the points' indices in the order they are met (nil: 0..N−1).
type Sequence struct {
	Set   int
	Order []int32
}

// alike reports whether two sequences meet the points of their sets in the same order.
func (q Sequence) alike(other Sequence) bool {
	return (q.Order == nil) == (other.Order == nil) && slices.Equal(q.Order, other.Order)
}

// Decode runs one sequence of each of b sets of n points x [B,N,D] under a policy, in the sets' own order.
func Decode(net *models.Network, x []float32, b, n int, policy Policy) (*Result, error) {
	sets, err := Encode(context.Background(), net, x, b, n)
	if err != nil {
		return nil, err
	}
	return sets.Run(sets.EachSet(), policy)
}

// EachSet returns one sequence a set in the sets' own order.
func (s *Sets) EachSet() []Sequence {
	sequences := make([]Sequence, s.B)
	for b := range sequences {
		sequences[b].Set = b
	}
	return sequences
}

// Result holds the outcome of each sequence. Beam leaves Final and Entropy out.
type Result struct {
	Labels  [][]int32   // [S][N] labels of the set's points in the set's own order, numbered as the sequence met them
	LogProb []float64   // [S] log p(c|x) of the sequence's order, without the constant log 1/N!
	Final   []float64   // [S] E[c_{1:N}]
	Entropy [][]float64 // [S][N] entropy of each decision in nats, by point
}

// Run decodes the sequences under a policy: on the Go backend and for Tempered by a loop on the host, else by a
// compiled one. The Go backend gains nothing from the compiled loop, which pads every sequence to the same number of
// slots. An accelerator would spend most of a host loop's time on starting kernels and waiting for results.
func (s *Sets) Run(sequences []Sequence, policy Policy) (*Result, error) {
	if policy.temperature > 0 || !s.Net.Device {
		return s.runHost(sequences, policy)
	}
	return s.runCompiled(sequences, policy)
}

// run is a run's sequences, or some of them, with their policy and their result.
type run struct {
	sequences []Sequence
	offset    int // the first one's index in the run
	policy    Policy
	draw      draws
	decided   int // the first step whose decision counts: the last one always does, as it gives the energy of the whole
	result    *Result
}

// start returns a run that has yet to begin, with an empty result.
func (s *Sets) start(sequences []Sequence, policy Policy) run {
	count := len(sequences)
	r := &Result{
		Labels: make([][]int32, count), LogProb: make([]float64, count), Final: make([]float64, count),
		Entropy: make([][]float64, count),
	}
	for i := range sequences {
		r.Labels[i], r.Entropy[i] = make([]int32, s.N), make([]float64, s.N)
	}
	return run{
		sequences: sequences, policy: policy, draw: policy.draws(), decided: min(policy.keep, s.N-1), result: r,
	}
}

// part returns the sequences from..to−1 of a run.
func (r run) part(from, to int) run {
	r.sequences, r.offset = r.sequences[from:to], from
	return r
}

// point returns the index in its set of the point that the sequence meets at a step.
func (q Sequence) point(step int) int {
	if q.Order == nil {
		return step
	}
	return int(q.Order[step])
}

// row returns the place of the point that the sequence meets at a step in an embedding whose sets are stride points
// apart.
func (q Sequence) row(step, stride int) int { return q.Set*stride + q.point(step) }

// embedding holds h' [B,N,W] and u' [B,N,V] of all points on the host, and Σ u' of each set [B,V].
type embedding struct {
	h, u  []float32
	ahead []float64
}

// newSets returns sets that are embedded on the host when a loop asks for it first.
func newSets(
	ctx context.Context, net *models.Network, b, n int, embed func() (h, u []float32, err error),
) *Sets {
	onHost := func() (embedding, error) {
		h, u, err := embed()
		if err != nil {
			return embedding{}, err
		}
		return embedding{h, u, totals(u, b, net.Config.StateWidth())}, nil
	}
	return &Sets{Net: net, B: b, N: n, ctx: ctx, onHost: sync.OnceValues(onHost)}
}

// totals adds u' [B,N,V] up in each set, in float64: [B,V].
func totals(u []float32, b, width int) []float64 {
	sums := make([]float64, b*width)
	of := len(u) / b // values of a set
	for i, v := range u {
		sums[i/of*width+i%width] += float64(v)
	}
	return sums
}
