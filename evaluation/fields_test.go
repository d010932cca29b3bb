package evaluation

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/train"
)

// fake is a Quality whose fields differ, so that one in the place of another shows.
var fake = Quality{
	Sets: 7, NMI: 0.101, ARI: 0.202, MC: 303.3, MCEps: 40.44, MCLast: 5.055, LogProb: -66.6, Clusters: 7.7, Truth: 8.8,
}

// Every metric reads its own field, prints it as people read it, and belongs to the models that have it.
func TestMetricsReadTheirFields(t *testing.T) {
	want := []struct {
		name, text string
		value      float64
		peers      bool
	}{
		{"NMI", "0.101", 0.101, true},
		{"ARI", "0.202", 0.202, true},
		{"MC", "303.3", 303.3, false},
		{"MC_eps", "40.44", 40.44, false},
		{"MC_last", "5.055", 5.055, false},
		{"log-prob", "-66.6", -66.6, false},
		{"clusters", "7.7", 7.7, true},
		{"true clusters", "8.8", 8.8, true},
	}
	if len(want) != len(Metrics()) {
		t.Errorf("metrics %v", Metrics())
	}
	for _, w := range want {
		m := must.M1(FindMetric(w.name))
		if m.Of(fake) != w.value || m.Text(fake) != w.text || m.Has(train.DAC) != w.peers ||
			!m.Has(train.NCP) {
			t.Errorf("%s: %g, %q, peers %v", w.name, m.Of(fake), m.Text(fake), m.Has(train.DAC))
		}
	}
	if _, err := FindMetric("F1"); err == nil {
		t.Error("F1 is known")
	}
	if text := fake.String(); text != "NMI 0.101, ARI 0.202, MC 303.3 on 7 sets" {
		t.Errorf("in one line: %s", text)
	}
}

// JSON has every field under its name.
func TestQualityJSON(t *testing.T) {
	want := `{"sets":7,"nmi":0.101,"ari":0.202,"mc":303.3,"mc_eps":40.44,"mc_last":5.055,"log_prob":-66.6,` +
		`"clusters":7.7,"truth":8.8}`
	if got := string(must.M1(json.Marshal(fake))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Means are taken field by field.
func TestQualityMeans(t *testing.T) {
	var q Quality
	other := Quality{Sets: 1}
	for i, m := range metricList {
		*m.field(&other) = float64(10 * (i + 1))
	}
	for range 2 {
		q.add(other)
	}
	one := fake
	one.Sets = 1
	q.add(one)
	q.toMeans()
	for i, m := range metricList {
		if want := (20*float64(i+1) + m.Of(fake)) / 3; math.Abs(m.Of(q)-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", m.Name, m.Of(q), want)
		}
	}
	if q.Sets != 3 {
		t.Errorf("%d sets", q.Sets)
	}
}

// What a set adds is, field by field, what the metrics say of it: MC, its clamped mean and its last term are three
// numbers.
func TestQualityOfASet(t *testing.T) {
	truth, found := []int32{0, 0, 1, 2, 1, 2}, []int32{0, 0, 0, 1, 0, 1}
	table := metrics.EnergyTable{nil, {0.3, 1.1}, {-2, 0.4}, {1, 2, 0.5}, {0.1, -0.7, 3, 0.2}, {2, 1, -1, 0.6}}
	q := must.M1(Compare(truth, found))
	must.M(q.withEnergies(table, truth))
	mc := must.M1(metrics.MC(table, truth))
	want := Quality{
		Sets: 1, NMI: must.M1(metrics.NMI(truth, found)), ARI: must.M1(metrics.ARI(truth, found)),
		MC: mc.MC, MCEps: mc.MCEps,
		MCLast: mc.LastTerm, LogProb: must.M1(metrics.LogProb(table, truth)), Clusters: 2, Truth: 3,
	}
	if q != want {
		t.Errorf("got  %+v\nwant %+v", q, want)
	}
	var values []float64
	for _, m := range metricList {
		values = append(values, m.Of(want))
	}
	slices.Sort(values)
	if len(slices.Compact(values)) != len(metricList) {
		t.Errorf("two metrics of %+v are equal: one in the place of the other would not show", want)
	}
}
