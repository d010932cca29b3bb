package sampling

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// Candidate k has the uniforms from the cumulative probability of those before it, that included, up to its own.
func TestInvert(t *testing.T) {
	logProbs := []float64{math.Log(0.5), math.Log(0.25), math.Log(0.25)}
	for u, want := range map[float64]int{0: 0, 0.499: 0, 0.5: 1, 0.749: 1, 0.751: 2, 1: 2} {
		if got := invert(logProbs, u); got != want {
			t.Errorf("invert at %v takes candidate %d, want %d", u, got, want)
		}
	}
}

// At temperature 1 samples are Ancestral's, near 0 Greedy's, and between them the shares of a decision are powers of
// its probabilities. Log-probabilities are the policy's own: those of the labels that were drawn.
func TestTempered(t *testing.T) {
	const n, count = 8, 40
	net := newNet(5, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(5, 1, n), 1, n))
	sequences, uniforms := make([]Sequence, count), Ancestral(rand.New(rand.NewPCG(1, 2)), count, n)
	run := func(policy Policy) *Result { return must.M1(sets.Run(sequences, policy)) }
	assertSame(t, run(uniforms.Tempered(1)), run(uniforms))
	assertSame(t, run(uniforms.Tempered(1e-6)), run(Greedy()))
	warm := run(uniforms.Tempered(0.5))
	assertSame(t, run(Given(warm.Labels)), warm)

	logProbs := []float64{math.Log(0.6), math.Log(0.3), math.Log(0.1)}
	total := 0.36 + 0.09 + 0.01
	for u, want := range map[float64]int{0: 0, 0.36/total - 1e-9: 0, 0.36/total + 1e-9: 1, 0.45/total + 1e-9: 2} {
		if got := take(u, Policy{}.Tempered(0.5).temper(logProbs)); got != want {
			t.Errorf("at %g slot %d, want %d", u, got, want)
		}
	}
}

// Sets of embedded points decode as sets of points do.
func TestEmbedded(t *testing.T) {
	const b, n = 3, 8
	net := newNet(5, false)
	x := newPoints(5, b, n)
	h, u := must.M2(net.Encode(context.Background(), x, 1))
	embedded := Embedded(net, h, u, b, n)
	want := must.M1(must.M1(Encode(context.Background(), net, x, b, n)).Run(embedded.EachSet(), Greedy()))
	assertSame(t, must.M1(embedded.Run(embedded.EachSet(), Greedy())), want)
	if _, err := Encode(context.Background(), net, nil, 1, 0); err == nil {
		t.Error("no values pass as a set of no points")
	}
}

// Energies that overflow are an error of every loop on the host, whichever sequence they are in; a stream stands
// where it stood.
func TestOverflowIsAnError(t *testing.T) {
	const b, n = 3, 6
	net := netOf(models.Config{Online: true}, 1, 2.5e12)
	x := newPoints(1, b, n)
	for bad := range b { // the other sets lie at the origin, where all biases, and so all energies, are small
		points := make([]float32, len(x))
		copy(points[bad*2*n:(bad+1)*2*n], x[bad*2*n:])
		sets := must.M1(Encode(context.Background(), net, points, b, n))
		if _, err := sets.runHost(sets.EachSet(), Greedy()); !errors.Is(err, metrics.ErrNotFinite) {
			t.Errorf("set %d overflows: error %v, want ErrNotFinite", bad, err)
		}
		if _, err := sets.Beam(Sequence{Set: bad}, 4); !errors.Is(err, metrics.ErrNotFinite) {
			t.Errorf("beam over set %d: error %v, want ErrNotFinite", bad, err)
		}
	}
	stepper := must.M1(NewStepper(net))
	if _, err := stepper.Next(x[:2]); !errors.Is(err, metrics.ErrNotFinite) ||
		!strings.Contains(err.Error(), "point 0") {
		t.Errorf("stream: error %v, want metrics.ErrNotFinite at point 0", err)
	}
	if stepper.Clusters() != 0 {
		t.Errorf("%d clusters after an error at the first point", stepper.Clusters())
	}
}

// Several labellings of one set are scored in one run, each as it would be alone.
func TestGivenOfEachSequence(t *testing.T) {
	const n = 11
	net := newNet(3, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(5, 1, n), 1, n))
	sequences := inOrders(7, 1, n, 3)
	labels := randomLabels(11, 3, n, 4)
	all := must.M1(sets.Run(sequences, Given(labels)))
	for i, q := range sequences {
		alone := must.M1(sets.Run([]Sequence{q}, Given(labels[i:i+1])))
		if !slices.Equal(all.Labels[i], alone.Labels[0]) {
			t.Errorf("sequence %d: labels %v, alone %v", i, all.Labels[i], alone.Labels[0])
		}
		assertNear(t, "log-probability", all.LogProb[i], alone.LogProb[0], 1e-5)
		assertNear(t, "final energy", all.Final[i], alone.Final[0], 1e-5)
	}
}

// What is kept stays together or apart, what is not is drawn as Ancestral draws it: with nothing kept the result is
// its own.
func TestRedrawKeepsTheFirstPoints(t *testing.T) {
	const b, n = 2, 14
	net := newNet(3, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(5, b, n), b, n))
	sequences := inOrders(7, b, n, 2)
	labels := randomLabels(11, len(sequences), n, 4)
	ancestral := Ancestral(rand.New(rand.NewPCG(13, 4)), len(sequences), n)
	for keep := range n + 1 {
		r := must.M1(sets.Run(sequences, Redraw(labels, keep, ancestral)))
		for i, q := range sequences {
			want, got := metBy(q, labels[i])[:keep], metBy(q, r.Labels[i])[:keep]
			if !slices.Equal(canonical(got), canonical(want)) {
				t.Errorf("%d kept, sequence %d: %v became %v", keep, i, want, got)
			}
		}
	}
	want, got := must.M1(sets.Run(sequences, ancestral)),
		must.M1(sets.Run(sequences, Redraw(labels, 0, ancestral)))
	assertSame(t, got, want)
}

// Passes that keep everything leave the partition as it is, as no pass does, and others move it.
func TestRedraws(t *testing.T) {
	const n = 6
	net := newNet(3, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(5, 1, n), 1, n))
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
