package sampling

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// Sequences that meet the same points in the same order are one path until they differ: as many at the end as there are
// labellings, and each sequence has the labels and the log-probability that it has alone.
func TestSharedPaths(t *testing.T) {
	const n, count = 4, 40
	net := newNet(5, false)
	sets := must.M1(Encode(net, newPoints(5, 2, n), 2, n))
	sequences := make([]Sequence, count)
	for i := range sequences {
		sequences[i].Set = i / (count / 2)
	}
	uniforms := NewAncestral(rand.New(rand.NewPCG(1, 2)), count, n)
	all := must.M1(sets.Run(sequences, uniforms))
	for i, q := range sequences {
		alone := must.M1(sets.Run([]Sequence{q}, uniforms.Of(i, i+1)))
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
	}{{"greedy", Greedy{}, 2}, {"samples", uniforms, len(different)}} {
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
	policy, result, err := s.start(sequences, policy)
	if err != nil {
		t.Fatal(err)
	}
	part := s.newHostPart(sequences, 0, policy, result, must.M1(s.u0()))
	if err := s.windows(sequences, func(w window) error { return s.eachPart([]*hostPart{part}, w) }); err != nil {
		t.Fatal(err)
	}
	return len(part.states)
}
