package clustering

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

func testOptions() Options {
	o := DefaultOptions()
	o.Samples = 30
	return o
}

// Laws of every result: canonical labels, rows that sum to 1, P(K) and counts that add up, samples in falling order.
func TestClusterLaws(t *testing.T) {
	x, _ := trainingSet(t, 40)
	o := testOptions()
	o.CoClustering = true
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 40, 2, o))
	canon, k := metrics.Canonical(r.Labels)
	if !slices.Equal(canon, r.Labels) || k != r.K || len(r.Labels) != 40 {
		t.Errorf("labels %v are not canonical with K = %d", r.Labels, r.K)
	}
	for i, row := range r.Probabilities {
		near(t, "sum of a row", floats.Sum(row), 1, 1e-12)
		if len(row) != k+1 || r.CoClustering[i][i] != 1 {
			t.Errorf("row %d has %d entries, co-clustering with itself %g",
				i, len(row), r.CoClustering[i][i])
		}
	}
	counts, last := 0, math.Inf(1)
	for _, s := range r.Samples {
		if counts += s.Count; s.LogProb > last {
			t.Errorf("log-probability %g follows %g", s.LogProb, last)
		}
		last = s.LogProb
	}
	total := 0.0
	for _, p := range r.KPosterior {
		total += p.P
	}
	near(t, "sum of P(K)", total, 1, 1e-12)
	if counts != 30 || len(r.Samples) < 2 {
		t.Errorf("%d samples in %d partitions, want 30 in several", counts, len(r.Samples))
	}
}

// The reported log-probabilities are the log-means over four orders of those of the reported labels.
func TestClusterLogProb(t *testing.T) {
	x, _ := trainingSet(t, 40)
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), scaled(x, 1, 5), 40, 2, testOptions()))
	p := must.M1(input{tinyNet(), known(), scaled(x, 1, 5), 40, 2}.prepare(0))
	mean := func(labels []int32) float64 {
		sum := 0.0
		for i := range 4 {
			order := data.Order(data.Rand(1, "cluster/order", i), 40)
			sum += math.Exp(tableLogProb(tinyNet(), p.x, labels, order)-r.LogProb) / 4
		}
		return r.LogProb + math.Log(sum)
	}
	near(t, "greedy log p", r.LogProb, mean(r.Labels), 1e-4)
	for _, s := range r.Samples[:3] {
		near(t, "sample log p", s.LogProb, mean(s.Labels), 1e-4)
	}
	order := data.Order(data.Rand(1, "cluster/order", 0), 40)
	if one := tableLogProb(tinyNet(), p.x, r.Labels, order); math.Abs(one-r.LogProb) < 1e-3 {
		t.Error("one order cannot be told from four, so this test shows nothing")
	}
}

// The samples of a network with free flows are drawn again; its greedy labels are as before.
func TestFreeFlowsAreDrawnAgain(t *testing.T) {
	const n = 30
	x, _ := trainingSet(t, n)
	net := *tinyNet()
	net.FreeFlows = true
	o := testOptions()
	o.Scale = 1
	r := must.M1(Cluster(t.Context(), &net, known(), x, n, 2, o))
	plain := must.M1(Cluster(t.Context(), tinyNet(), known(), x, n, 2, o))
	if !slices.Equal(plain.Labels, r.Labels) {
		t.Errorf("greedy labels %v, but %v of the same network", r.Labels, plain.Labels)
	}
	drawn := func(r *Result) (all [][]int32) {
		for _, s := range r.Samples {
			all = append(all, s.Labels)
		}
		return all
	}
	if reflect.DeepEqual(drawn(plain), drawn(r)) {
		t.Error("the samples were not drawn again")
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	x, _ := trainingSet(t, 30)
	marshal := func(seed uint64) string {
		o := testOptions()
		o.Seed = seed
		return string(must.M1(json.Marshal(must.M1(Cluster(t.Context(), tinyNet(), known(), x, 30, 2, o)))))
	}
	first := marshal(1)
	if again := marshal(1); again != first {
		t.Error("two runs with one seed differ")
	}
	if marshal(2) == first {
		t.Error("two seeds give the same result")
	}
}

// Decoding group by group draws what decoding at once draws.
func TestGroupsDoNotChangeTheDraws(t *testing.T) {
	x, _ := trainingSet(t, 20)
	sets := must.M1(sampling.Encode(context.Background(), tinyNet(), x, 1, 20))
	draw := func(group int) [][]int32 {
		return must.M1((&decoder{Sets: sets}).sample(7, group))
	}
	once, parts := draw(7), draw(3)
	for group, groups := range map[int]int{7: 1, 3: 3} {
		var heard, want []int // of all steps of all groups, one after the other
		sets.Progress = func(done, total int) { heard = append(heard, done, total) }
		draw(group)
		for step := range groups * 20 {
			want = append(want, step+1, groups*20)
		}
		if !slices.Equal(heard, want) {
			t.Errorf("groups of %d: progress %v, want %v", group, heard, want)
		}
		sets.Progress = nil
	}
	if len(once) != 7 || len(parts) != 7 {
		t.Fatalf("%d and %d samples, want 7", len(once), len(parts))
	}
	for i := range once {
		if !slices.Equal(once[i], parts[i]) {
			t.Errorf("sample %d is %v at once but %v in groups", i, once[i], parts[i])
		}
	}
}

// Lists in JSON may be empty and are never null. What is not asked for is left out. TestSchema of cmd/gfncp has the
// names.
func TestJSON(t *testing.T) {
	x, labels := trainingSet(t, 12)
	o, so := testOptions(), DefaultOptions()
	for _, asked := range []bool{false, true} {
		o.CoClustering, so.Energies = asked, asked
		r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 12, 2, o))
		score := must.M1(Score(t.Context(), tinyNet(), known(), x, 12, 2, labels, so))
		if has(t, r, "co_clustering") != asked || has(t, score, "energies") != asked {
			t.Errorf("asked for: %v, but the result has it or has it not", asked)
		}
	}
}

// has reports whether the JSON of a result has a field. None may be null.
func has(t *testing.T, result any, field string) bool {
	t.Helper()
	var fields map[string]json.RawMessage
	must.M(json.Unmarshal(must.M1(json.Marshal(result)), &fields))
	for name, value := range fields {
		if string(value) == "null" {
			t.Errorf("%s is null", name)
		}
	}
	return fields[field] != nil
}

func TestWithoutSamples(t *testing.T) {
	x, _ := trainingSet(t, 30)
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 30, 2, Options{Seed: 1}))
	for i, row := range r.Probabilities {
		if row[r.Labels[i]] != 1 || r.Uncertainty[i] != (posterior.PointUncertainty{}) {
			t.Errorf("row %d is %v for label %d, uncertainty %v", i, row, r.Labels[i], r.Uncertainty[i])
		}
	}
	if len(r.Samples) != 0 || r.Samples == nil || r.KPosterior[0] != (posterior.KProb{K: r.K, P: 1}) {
		t.Errorf("samples %v, P(K) %v", r.Samples, r.KPosterior)
	}
	if !hasWarning(r.Warnings, "0 samples: the prob") {
		t.Errorf("warnings %q", r.Warnings)
	}
	with := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 30, 2, testOptions()))
	if !slices.Equal(r.Labels, with.Labels) {
		t.Error("the greedy labels depend on the samples")
	}
	near(t, "log p without samples", r.LogProb, with.LogProb, 1e-5)
}

func TestClusterFaults(t *testing.T) {
	set, _ := trainingSet(t, 12)
	nan := slices.Clone(set)
	nan[5] = float32(math.NaN())
	points := func(x []float32, n, d int) input { return input{tinyNet(), known(), x, n, d} }
	vectors := func(x []float32, n, d int) input { return input{tinyNet(), knownVectors(), x, n, d} }
	images := func(x []float32, d int) input { return input{tinyImageNet(), knownImages(), x, 6, d} }
	bytes := squares(6)
	bytes[784+5] = 255
	for _, c := range []struct {
		in     input
		change func(*Options)
		want   string
	}{
		{points(set, 8, 3), nil, "3 coordinates, but this model takes 2; choose as many columns"},
		{points(set[:2], 1, 2), nil, "1 point; give at least 2 points"},
		{points(nan, 12, 2), nil, "coordinate 2 of point 3 is NaN"},
		{points(set, 12, 2), func(o *Options) { o.Samples = -1 }, "Samples is -1"},
		{points(set, 12, 2), func(o *Options) { o.Scale = math.NaN() }, "Scale is NaN; use a factor"},
		{points(set, 12, 2), func(o *Options) { o.Scale = 1e39 }, "32-bit"},
		{points(set, 12, 2), func(o *Options) { o.Scale = -1 }, "Scale is -1; use a factor"},
		{points(set, 12, 2), func(o *Options) { o.Scale = math.Inf(1) }, "Scale is +Inf; use a factor"},
		{points(make([]float32, 6000), 2000, 3), func(o *Options) { o.CoClustering = true }, "3 coordinates"},
		{points(make([]float32, 4002), 2001, 2), func(o *Options) { o.CoClustering = true }, "2000 points of a"},
		{vectors(make([]float32, 30), 10, 3), nil, "choose as many columns, name another model, or train one on such"},
		{
			vectors([]float32{0, 0, 0, 0, 5, 5}, 3, 2), func(o *Options) { o.Scale = 1e39 },
			"point 3 is out of the range of 32-bit",
		},
		{images(bytes, 784), nil, "pixel 6 of image 2 is 255, but pixels are 0..1"},
		{images(append([]float32{0, -0.5}, squares(6)[2:]...), 784), nil, "pixel 2 of image 1 is -0.5"},
		{images(squares(6), 784), func(o *Options) { o.Scale = 2 }, "Scale 2 has no meaning for images"},
		{images(make([]float32, 6*16), 16), nil, "16 coordinates, but this model reads images of 28×28 pixels"},
	} {
		o := testOptions()
		if c.change != nil {
			c.change(&o)
		}
		_, err := Cluster(t.Context(), c.in.net, c.in.known, c.in.x, c.in.n, c.in.d, o)
		testfiles.WantUserError(t, err, c.want)
	}
}

func TestOverflowIsAnError(t *testing.T) {
	x, labels := trainingSet(t, 12)
	net := newNet(1e12)
	if _, err := Cluster(t.Context(), net, known(), x, 12, 2, testOptions()); !errors.Is(err, metrics.ErrNotFinite) {
		t.Errorf("cluster: error %v, want ErrNotFinite", err)
	}
	_, err := Score(t.Context(), net, known(), x, 12, 2, labels, DefaultOptions())
	if !errors.Is(err, metrics.ErrNotFinite) {
		t.Errorf("score: error %v, want ErrNotFinite", err)
	}
}

// K of 60 points has mean 16 and standard deviation 3 under CRP(7), and 7.4 and 2.2 under CRP(2).
func TestClusterRange(t *testing.T) {
	fixed, fixedVectors := known(), knownVectors()
	fixed.FixedK, fixedVectors.FixedK = 3, 4
	for _, c := range []struct {
		known           data.Config
		low, from, most int // the least K; bounds of the largest
	}{{known(), 2, 20, 40}, {knownImages(), 2, 12, 20}, {fixed, 3, 3, 3}, {fixedVectors, 4, 4, 4}} {
		if low, high := clusterRange(c.known); low != c.low || high < c.from || high > c.most {
			t.Errorf("K from %d to %d, want %d to about %d", low, high, c.low, c.most)
		}
	}
}
