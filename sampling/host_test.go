package sampling

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
)

// Given labels, canonical or not and in any order, get the log-probability and the final energy of the energy table.
func TestGivenEqualsTable(t *testing.T) {
	const b, n, orders = 3, 17, 3
	for _, online := range []bool{false, true} {
		net := newNet(1, online)
		x := newPoints(2, b, n)
		sets := must.M1(Encode(context.Background(), net, x, b, n))
		sequences := inOrders(4, b, n, orders)
		labels := randomLabels(3, len(sequences), n, 5)
		r := must.M1(sets.Run(sequences, Given(labels)))
		for i, q := range sequences {
			table, canonical := tableOf(net, x, q, labels[i])
			assertNear(t, "log-probability", r.LogProb[i], must.M1(metrics.LogProb(table, canonical)), 1e-4)
			assertNear(t, "final energy", r.Final[i], table[n-1][canonical[n-1]], 1e-4)
			if got := metBy(q, r.Labels[i]); !slices.Equal(got, canonical) {
				t.Fatalf("sequence %d: labels %v as met, want %v", i, got, canonical)
			}
		}
	}
}

// At each step greedy decoding takes the lowest energy (up to rounding) of the table of its own labels.
func TestGreedyIsArgmaxOfItsTable(t *testing.T) {
	const b, n, orders = 4, 15, 2
	net := newNet(1, false)
	x := newPoints(6, b, n)
	sequences := inOrders(5, b, n, orders)
	r := must.M1(must.M1(Encode(context.Background(), net, x, b, n)).Run(sequences, Greedy()))
	for i, q := range sequences {
		table, canonical := tableOf(net, x, q, r.Labels[i])
		if got := metBy(q, r.Labels[i]); !slices.Equal(got, canonical) {
			t.Fatalf("labels %v are not numbered as met", got)
		}
		for step := 1; step < n; step++ {
			if lowest := slices.Min(table[step]); table[step][canonical[step]] > lowest+1e-4 {
				t.Fatalf("sequence %d, step %d: took energy %g of %v",
					i, step, table[step][canonical[step]], table[step])
			}
		}
	}
}

// A sequence's result does not depend on those beside it, so neither on the split over the cores.
func TestSequencesAreIndependent(t *testing.T) {
	const b, n = 5, 9
	net := newNet(1, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(7, b, n), b, n))
	sequences := inOrders(8, b, n, 2)
	policy := Ancestral(rand.New(rand.NewPCG(9, 9)), len(sequences), n)
	all := must.M1(sets.Run(sequences, policy))
	for from := 0; from < len(sequences); from += 3 {
		to := min(from+3, len(sequences))
		want := &Result{all.Labels[from:to], all.LogProb[from:to], all.Final[from:to], all.Entropy[from:to]}
		assertSame(t, must.M1(sets.Run(sequences[from:to], after(policy, from))), want)
	}
}

// after is the policy of the sequences from one on.
func after(p Policy, from int) Policy {
	return stateless(func(sequence, step, point int) float64 { return p.draws()(from+sequence, step, point) })
}

// Uniforms at the rim: 0 takes the first candidate at each step, the largest number below 1 the last, in both loops.
func TestUniformsAtTheRim(t *testing.T) {
	const n = 6
	net := newNet(1, true)
	sets := must.M1(Encode(context.Background(), net, newPoints(1, 1, n), 1, n))
	for u, want := range map[float64][]int32{0: {0, 0, 0, 0, 0, 0}, 1 - 0x1p-53: {0, 1, 2, 3, 4, 5}} {
		policy := stateless(func(_, _, _ int) float64 { return u })
		for name, run := range loops(sets) {
			if got := must.M1(run(sets.EachSet(), policy)).Labels[0]; !slices.Equal(got, want) {
				t.Errorf("%s: u = %g gives labels %v, want %v", name, u, got, want)
			}
		}
	}
}

func TestEmptyAndSmallestRuns(t *testing.T) {
	net := newNet(1, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(1, 1, 1), 1, 1))
	for name, run := range loops(sets) {
		r := must.M1(run(sets.EachSet(), Greedy()))
		if r.Labels[0][0] != 0 || r.LogProb[0] != 0 || r.Entropy[0][0] != 0 {
			t.Errorf("%s: one point gives %+v, want label 0 with certainty", name, r)
		}
		if r := must.M1(run(nil, Greedy())); len(r.Labels) != 0 {
			t.Errorf("%s: no sequences give %d results", name, len(r.Labels))
		}
	}
}

// A run on the host tells each step once, however many sequences go side by side.
func TestHostProgress(t *testing.T) {
	net := newNet(1, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(1, 1, 3), 1, 3))
	for _, count := range []int{1, 5} {
		var heard []int
		sets.Progress = func(done, total int) { heard = append(heard, done, total) }
		must.M1(sets.runHost(make([]Sequence, count), Greedy()))
		if want := []int{1, 3, 2, 3, 3, 3}; !slices.Equal(heard, want) {
			t.Errorf("%d sequences: progress %v, want %v", count, heard, want)
		}
	}
}

func TestEncodeRefusesOtherSizes(t *testing.T) {
	const b, n = 2, 3
	net := newNet(1, false)
	if _, err := Encode(context.Background(), net, make([]float32, 5), b, n); err == nil {
		t.Error("Encode takes 5 values for 2 sets of 3 points in 2 dimensions")
	}
}

// Sequences that meet the same points in the same order are one path until they differ: as many at the end as there are
// labellings, and each sequence has the labels and the log-probability that it has alone.
func TestSharedPaths(t *testing.T) {
	const n, count = 4, 40
	net := newNet(5, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(5, 2, n), 2, n))
	sequences := make([]Sequence, count)
	for i := range sequences {
		sequences[i].Set = i / (count / 2)
	}
	uniforms := Ancestral(rand.New(rand.NewPCG(1, 2)), count, n)
	all := must.M1(sets.Run(sequences, uniforms))
	for i, q := range sequences {
		alone := must.M1(sets.Run([]Sequence{q}, after(uniforms, i)))
		if !slices.Equal(all.Labels[i], alone.Labels[0]) {
			t.Errorf("sequence %d: labels %v, alone %v", i, all.Labels[i], alone.Labels[0])
		}
		assertNear(t, "log-probability", all.LogProb[i], alone.LogProb[0], 1e-5)
		assertNear(t, "final energy", all.Final[i], alone.Final[0], 1e-5)
	}
	different := map[string]bool{}
	for i, labels := range all.Labels {
		key := []byte{byte(sequences[i].Set)}
		for _, l := range labels {
			key = append(key, byte(l))
		}
		different[string(key)] = true
	}
	for _, c := range []struct {
		name   string
		policy Policy
		want   int
	}{{"greedy", Greedy(), 2}, {"samples", uniforms, len(different)}} {
		if got := pathsOf(t, sets, sequences, c.policy); got != c.want {
			t.Errorf("%s: %d paths, want %d", c.name, got, c.want)
		}
	}
	if len(different) == count || len(different) == 2 {
		t.Errorf("%d labellings of %d samples: this test shows nothing", len(different), count)
	}
}

// pathsOf decodes in one part and counts its paths.
func pathsOf(t *testing.T, s *Sets, sequences []Sequence, policy Policy) int {
	t.Helper()
	part := s.newHostPart(s.start(sequences, policy), must.M1(s.onHost()))
	must.M(s.eachPart([]*hostPart{part}))
	return len(part.states)
}
