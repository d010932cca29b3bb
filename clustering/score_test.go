package clustering

import (
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Each log-probability is that of its random order; SDPP, MC and MC_eps follow from what the result shows.
func TestScoreFollowsFromItsParts(t *testing.T) {
	x, labels := trainingSet(t, 25)
	o := DefaultOptions()
	o.Orders, o.Seed, o.Energies = 5, 9, true
	r := must.M1(Score(t.Context(), tinyNet(), known(), x, 25, 2, labels, o))
	p := must.M1(input{tinyNet(), known(), x, 25, 2}.prepare(0))
	for i, got := range r.LogProb {
		near(t, "log p", got,
			tableLogProb(tinyNet(), p.x, labels, data.Order(data.Rand(9, "score/order", i), 25)), 1e-4)
	}
	near(t, "sdpp", *r.SDPP, must.M1(metrics.SDPP(r.LogProb)), 1e-12)
	if len(r.Energies) != 24 || len(r.Energies[0]) != 2 {
		t.Fatalf("%d rows of energies, the first with %d, want 24 and 2", len(r.Energies), len(r.Energies[0]))
	}
	mc := must.M1(metrics.MC(append(metrics.EnergyTable{nil}, r.Energies...), labels))
	near(t, "mc", *r.MC, mc.MC, 1e-12)
	near(t, "mc_eps", *r.MCEps, mc.MCEps, 1e-12)
}

func TestScoreIgnoresLabelNames(t *testing.T) {
	x, labels := trainingSet(t, 25)
	renamed := make([]int32, len(labels))
	for i, l := range labels {
		renamed[i] = 1000 - 3*l
	}
	o := DefaultOptions()
	o.Orders = 3
	a := must.M1(Score(t.Context(), tinyNet(), known(), x, 25, 2, labels, o))
	b := must.M1(Score(t.Context(), tinyNet(), known(), x, 25, 2, renamed, o))
	if *a.MC != *b.MC || a.LogProb[2] != b.LogProb[2] || a.K != b.K {
		t.Errorf("MC %g and %g, log p %g and %g, K %d and %d", *a.MC, *b.MC, a.LogProb[2], b.LogProb[2], a.K, b.K)
	}
}

func TestScoreFewOrders(t *testing.T) {
	x, labels := trainingSet(t, 12)
	for orders := range 3 {
		r := must.M1(Score(t.Context(), tinyNet(), known(), x, 12, 2, labels, Options{Orders: orders}))
		enough := orders == 2
		if (r.SDPP != nil) != enough || len(r.LogProb) != orders || r.LogProb == nil ||
			hasWarning(r.Warnings, "sdpp", "2 orders") == enough {
			t.Errorf("%d orders: sdpp %v, log p %v, warnings %q", orders, r.SDPP, r.LogProb, r.Warnings)
		}
	}
}

func TestScoreFaults(t *testing.T) {
	x, labels := trainingSet(t, 12)
	_, err := Score(t.Context(), tinyNet(), known(), x, 12, 2, labels, Options{Orders: -1, Scale: -1})
	testfiles.WantUserError(t, err, "Orders is -1", "Scale is")
	if _, err := Score(t.Context(), tinyNet(), known(), x, 12, 2, labels[:11], DefaultOptions()); err == nil {
		t.Error("11 labels of 12 points were accepted")
	}
}

// Where memory is short the table is left out, or refused if it is asked for; the orders are taken fewer at a time.
func TestScoreWithinMemory(t *testing.T) {
	short.Skip(t, "scores 600 points under a small memory limit")
	const n, clusters = 600, 16
	x, labels := make([]float32, 2*n), make([]int32, n)
	for i := range labels {
		labels[i], x[2*i] = int32(i%clusters), float32(i%clusters)
	}
	o := Options{Orders: 30, Seed: 3}
	want := must.M1(Score(t.Context(), tinyNet(), known(), x, n, 2, labels, o))
	must.M(memory.SetLimit("64MB"))
	t.Cleanup(func() { must.M(memory.SetLimit("1TB")) })
	p := must.M1(input{tinyNet(), known(), x, n, 2}.prepare(0))
	if d := must.M1(p.decoder(t.Context(), 1, "")); d.group >= o.Orders {
		t.Errorf("%d sequences at a time", d.group)
	}
	got := must.M1(Score(t.Context(), tinyNet(), known(), x, n, 2, labels, o))
	if got.MC != nil || !hasWarning(got.Warnings, "mc and mc_eps are left out", "but 64 MB may be used") ||
		!slices.Equal(got.LogProb, want.LogProb) {
		t.Errorf("mc %v, warnings %q", got.MC, got.Warnings)
	}
	o.Energies = true
	if _, err := Score(t.Context(), tinyNet(), known(), x, n, 2, labels, o); !usererr.Is(err) {
		t.Errorf("the energies gave %v", err)
	}
}
