package sampling

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// What is kept stays together or apart, what is not is drawn as Ancestral draws it: with nothing kept the result is
// its own.
func TestRedrawKeepsTheFirstPoints(t *testing.T) {
	const b, n = 2, 14
	net := newNet(3, false)
	sets := must.M1(Encode(net, newPoints(5, b, n), b, n))
	sequences := inOrders(7, b, n, 2)
	labels := randomLabels(11, len(sequences), n, 4)
	ancestral := NewAncestral(rand.New(rand.NewPCG(13, 4)), len(sequences), n)
	for keep := range n + 1 {
		r := must.M1(sets.Run(sequences, &Redraw{Labels: labels, Keep: keep, Ancestral: ancestral}))
		for i, q := range sequences {
			want, got := metBy(q, labels[i])[:keep], metBy(q, r.Labels[i])[:keep]
			if !slices.Equal(canonical(got), canonical(want)) {
				t.Errorf("%d kept, sequence %d: %v became %v", keep, i, want, got)
			}
		}
	}
	want, got := must.M1(sets.Run(sequences, ancestral)),
		must.M1(sets.Run(sequences, &Redraw{Labels: labels, Ancestral: ancestral}))
	assertSame(t, got, want)
	for _, bad := range []*Redraw{
		{Labels: labels[:1], Ancestral: ancestral},
		{Labels: labels, Keep: n + 1, Ancestral: ancestral},
		{Labels: labels, Keep: -1, Ancestral: ancestral},
		{Labels: randomLabels(1, len(sequences), 3, 2), Ancestral: ancestral},
		{Labels: labels},
	} {
		if _, err := sets.Run(sequences, bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// Passes that keep everything leave the partition as it is, as no pass does, and others move it.
func TestRedraws(t *testing.T) {
	const n = 6
	net := newNet(3, false)
	sets := must.M1(Encode(net, newPoints(5, 1, n), 1, n))
	labels := randomLabels(11, 3, n, 4)
	same := must.M1(sets.Redraws(rand.New(rand.NewPCG(1, 2)), make([]Sequence, 3), labels))
	for i := range labels {
		if !slices.Equal(same[i], labels[i]) {
			t.Errorf("no pass changed %v to %v", labels[i], same[i])
		}
	}
	whole := must.M1(sets.Redraws(rand.New(rand.NewPCG(1, 2)), make([]Sequence, 3), labels, 1, 1))
	for i := range labels {
		if !slices.Equal(canonical(whole[i]), canonical(labels[i])) {
			t.Errorf("keeping all changed %v to %v", labels[i], whole[i])
		}
	}
	if moved := must.M1(
		sets.Redraws(rand.New(rand.NewPCG(1, 2)), make([]Sequence, 3), labels, 0.5, 0),
	); slices.Equal(canonical(moved[0]), canonical(labels[0])) {
		t.Errorf("two passes changed nothing: %v", moved)
	}
}
