package sampling

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/gfncp/gfncp/models"
)

// Sets are the points of B sets, encoded once; any number of sequences can run over them.
type Sets struct {
	Net  *models.Network
	B, N int
	h, u []float32 // [B,N,H]
	u0   []float64 // [B,H] Σ u' of each whole set
}

// Encode embeds B sets of N points x [B,N,D] for decoding.
func Encode(net *models.Network, x []float32, b, n int) (*Sets, error) {
	if len(x) != b*n*net.Config.Dim {
		return nil, fmt.Errorf("encode %d sets of %d points in %d dimensions: got %d values", b, n, net.Config.Dim, len(x))
	}
	h, u, err := net.Encode(x)
	if err != nil {
		return nil, err
	}
	s := &Sets{Net: net, B: b, N: n, h: h, u: u, u0: make([]float64, b*net.Config.Hidden)}
	width := net.Config.Hidden
	for i, v := range u {
		s.u0[i/(n*width)*width+i%width] += float64(v)
	}
	return s, nil
}

// Sequence is one pass over a set: Set is its index, Order the points' indices in the order they are met (nil: 0..N−1).
type Sequence struct {
	Set   int
	Order []int32
}

// EachSet returns one sequence a set in the sets' own order.
func (s *Sets) EachSet() []Sequence {
	sequences := make([]Sequence, s.B)
	for b := range sequences {
		sequences[b].Set = b
	}
	return sequences
}

// Result holds the outcome of each sequence.
type Result struct {
	Labels  [][]int32   // [S][N] labels of the set's points in the set's own order, numbered as the sequence met them
	LogProb []float64   // [S] log p(c|x) of the sequence's order, without the constant log 1/N!
	Final   []float64   // [S] E[c_{1:N}]
	Entropy [][]float64 // [S][N] entropy of each decision in nats, by point
}

// Run decodes the sequences under a policy. On the Go backend they are split over the cores; the result does not depend
// on the split.
func (s *Sets) Run(sequences []Sequence, policy Policy) (*Result, error) {
	if given, ok := policy.(*Given); ok {
		policy = given.bind(sequences)
	}
	r := &Result{
		Labels: make([][]int32, len(sequences)), LogProb: make([]float64, len(sequences)),
		Final: make([]float64, len(sequences)), Entropy: make([][]float64, len(sequences)),
	}
	parts := 1
	if s.Net.OnGo() {
		parts = min(runtime.GOMAXPROCS(0), len(sequences))
	}
	errs := make([]error, parts)
	var wg sync.WaitGroup
	for part := range parts {
		from, to := part*len(sequences)/parts, (part+1)*len(sequences)/parts
		wg.Go(func() { errs[part] = s.runPart(sequences, from, to, policy, r) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
	}
	return r, nil
}

func (g *Given) bind(sequences []Sequence) *Given {
	bound := &Given{Labels: g.Labels, seen: make([]map[int32]int, len(sequences))}
	for i := range bound.seen {
		bound.seen[i] = make(map[int32]int)
	}
	bound.set = func(i int) int { return sequences[i].Set }
	return bound
}

// runPart decodes sequences from..to−1 side by side.
func (s *Sets) runPart(all []Sequence, from, to int, policy Policy, r *Result) error {
	width := s.Net.Config.Hidden
	states := make([]*state, to-from)
	for i := range states {
		states[i] = newState(width)
		set := all[from+i].Set
		copy(states[i].ahead, s.u0[set*width:(set+1)*width])
		r.Labels[from+i] = make([]int32, s.N)
		r.Entropy[from+i] = make([]float64, s.N)
	}
	rows := &rowBuffer{width: width}
	for step := range s.N {
		if err := s.step(step, all[from:to], from, states, policy, rows, r); err != nil {
			return err
		}
	}
	for i, st := range states {
		r.LogProb[from+i] = st.logProb
	}
	return nil
}

// rowBuffer holds the packed candidate rows of one step.
type rowBuffer struct {
	width               int
	sums, rest, cluster []float32 // [R,H]
	energy              []float32 // [R]
}

// grow makes room for rows rows; new space is zero.
func (b *rowBuffer) grow(rows int) {
	if extra := rows - len(b.energy); extra > 0 {
		b.sums = append(b.sums, make([]float32, extra*b.width)...)
		b.rest = append(b.rest, make([]float32, extra*b.width)...)
		b.cluster = append(b.cluster, make([]float32, extra*b.width)...)
		b.energy = append(b.energy, make([]float32, extra)...)
	}
}

// step decides one point of each sequence.
func (s *Sets) step(step int, sequences []Sequence, from int, states []*state, policy Policy, rows *rowBuffer, r *Result) error {
	width := rows.width
	total := 0
	for _, st := range states {
		total += st.k + 1
	}
	padded := s.Net.Buckets.Rows(total)
	rows.grow(padded)
	row := 0
	for i, st := range states {
		at := s.at(sequences[i], step)
		for j, v := range s.u[at*width : (at+1)*width] {
			st.ahead[j] -= float64(v)
		}
		st.candidates(s.h[at*width:(at+1)*width], rows.sums[row*width:], rows.rest[row*width:])
		row += st.k + 1
	}
	if err := s.Net.Score(rows.sums, rows.rest, padded, rows.cluster, rows.energy); err != nil {
		return err
	}
	row = 0
	for i, st := range states {
		energies := rows.energy[row : row+st.k+1]
		logProbs := logSoftmaxNeg(energies)
		point := s.at(sequences[i], step) - sequences[i].Set*s.N
		k, err := policy.choose(from+i, step, point, logProbs)
		if err != nil {
			return err
		}
		chosen := row + k
		row += st.k + 1
		at := s.at(sequences[i], step)
		st.assign(k, s.h[at*width:(at+1)*width], rows.cluster[chosen*width:(chosen+1)*width])
		st.logProb += logProbs[k]
		r.Labels[from+i][point] = int32(k)
		r.Entropy[from+i][point] = entropy(logProbs)
		r.Final[from+i] = float64(energies[k])
	}
	return nil
}

// at returns the flat index of the point that a sequence meets at a step.
func (s *Sets) at(q Sequence, step int) int {
	if q.Order != nil {
		step = int(q.Order[step])
	}
	return q.Set*s.N + step
}

// logSoftmaxNeg is log softmax(−E) in float64.
func logSoftmaxNeg(energies []float32) []float64 {
	lowest := math.Inf(1)
	for _, e := range energies {
		lowest = min(lowest, float64(e))
	}
	var sum float64
	for _, e := range energies {
		sum += math.Exp(lowest - float64(e))
	}
	logs := make([]float64, len(energies))
	for k, e := range energies {
		logs[k] = lowest - float64(e) - math.Log(sum)
	}
	return logs
}

func entropy(logProbs []float64) float64 {
	var h float64
	for _, l := range logProbs {
		if p := math.Exp(l); p > 0 {
			h -= p * l
		}
	}
	return h
}
