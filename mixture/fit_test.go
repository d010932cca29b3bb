package mixture

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

// mixedTable has three clusters in every kind of column: numbers, one of them skewed, one rounded, one constant, an
// indicator, a category, and gaps.
func mixedTable(seed uint64) (t tables.Table, truth []int32) {
	rng := em.NewRandom(seed, 9)
	t.Rows = 240
	t.Categories = []tables.Category{{Levels: 4}}
	for i := range t.Rows {
		k := i % 3
		truth = append(truth, int32(k))
		row := []float64{
			6*float64(k) + rng.NormFloat64(), math.Exp(0.6*rng.NormFloat64() + 3*float64(k&1)),
			math.Round(5 * rng.NormFloat64()), 7, float64(k >> 1), 40 * rng.NormFloat64(),
		}
		if i%17 == 3 {
			row[i%2] = math.NaN()
		}
		t.Numbers = append(t.Numbers, row...)
		code := int32(k)
		if rng.Float64() < 0.2 {
			code = int32(rng.IntN(3)) - 1
		}
		t.Categories[0].Codes = append(t.Categories[0].Codes, code)
	}
	return t, truth
}

// The rows clustered get their own labels; a fit read from JSON says the same bit for bit.
func TestPredict(t *testing.T) {
	table, truth := mixedTable(1)
	fresh, freshTruth := mixedTable(2)
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 2e5}))
	own := p.Fit.Predict(table)
	if ari := must.M1(metrics.ARI(p.Labels, own.Labels)); p.Number != 3 || ari < 0.97 {
		t.Errorf("K = %d, ARI of rows and their prediction %.3f", p.Number, ari)
	}
	new := p.Fit.Predict(fresh)
	ari := must.M1(metrics.ARI(freshTruth, new.Labels))
	if own := must.M1(metrics.ARI(truth, p.Labels)); ari < own-0.03 {
		t.Errorf("ARI %.3f of new rows, %.3f of those clustered", ari, own)
	}
	data := must.M1(json.Marshal(p.Fit))
	t.Logf("%d bytes, ν %g, uses %v, ARI %.3f", len(data), p.Fit.Degrees, p.Uses, ari)
	var read fit.Mixture
	must.M(json.Unmarshal(data, &read))
	if !reflect.DeepEqual(read.Predict(fresh), new) || string(must.M1(json.Marshal(&read))) != string(data) {
		t.Error("a fit read again predicts something else")
	}
	for i := range fresh.Rows {
		total := floats.Sum(new.Probs[i*len(read.Clusters):][:len(read.Clusters)])
		if math.Abs(total-1) > 1e-9 {
			t.Fatalf("row %d: probabilities sum to %g", i, total)
		}
	}
}

// halves deals the rows of a table in turn.
func halves(columns [][]float64) (even, odd tables.Table) {
	parts := [2][][]float64{make([][]float64, len(columns)), make([][]float64, len(columns))}
	for d, column := range columns {
		for i, x := range column {
			parts[i%2][d] = append(parts[i%2][d], x)
		}
	}
	return tableOf(parts[0]), tableOf(parts[1])
}

// Fresh rows are in clusters. Rows with one column in other units are in none, and their column is named
// (hdbscan#361).
func TestFarRows(t *testing.T) {
	for name, set := range map[string]drawn{"Gaussian": blobs(3, 600, 4, 3, 6), "t3": tBlobs(5)} {
		columns := set.columns
		table, fresh := halves(columns)
		p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 2e5}))
		same := p.Fit.Predict(fresh)
		none, beyond, kept := 0, 0, 0
		for i, label := range same.Labels {
			if label == -1 {
				none++
			}
			beyond += len(same.Beyond[i])
			fresh.Numbers[len(columns)*i+1] *= 1000
		}
		grams := p.Fit.Predict(fresh)
		for i, label := range grams.Labels {
			far := math.Abs(fresh.Numbers[len(columns)*i+1]) > 200
			if far && (label != -1 || !slices.Contains(grams.Beyond[i], 1)) {
				kept++
			}
		}
		t.Logf("%s: ν %g; %d of %d fresh rows in none, %d cells beyond; %d in grams kept", name, p.Fit.Degrees, none,
			fresh.Rows, beyond, kept)
		if none > 1 || beyond > 4 || kept > 0 {
			t.Errorf("%s: %d of %d fresh rows in none, %d cells beyond; %d in grams kept", name, none, fresh.Rows,
				beyond, kept)
		}
	}
}

// Missing cells are integrated out: a row without numbers has the clusters' weights.
func TestPredictMissing(t *testing.T) {
	p := must.M1(Sample(context.Background(), tableOf(blobs(4, 90, 2, 3, 8).columns), Options{Seed: 1, Work: 1e5}))
	nothing := tables.Table{Rows: 1, Numbers: []float64{math.NaN(), math.NaN()}}
	got := p.Fit.Predict(nothing)
	for k, c := range p.Fit.Clusters {
		if math.Abs(got.Probs[k]-c.Weight) > 1e-12 {
			t.Errorf("cluster %d: %g, weight %g", k, got.Probs[k], c.Weight)
		}
	}
	if got.Labels[0] < 0 || got.Beyond[0] != nil {
		t.Errorf("%+v", got)
	}
}

// The EM of rows with missing cells recovers a correlated Gaussian.
func TestFitMissing(t *testing.T) {
	rng := em.NewRandom(6, 6)
	table := tables.Table{Rows: 2000}
	for i := range table.Rows {
		x := rng.NormFloat64()
		y := 0.8*x + 0.6*rng.NormFloat64()
		if i%3 == 0 {
			y = math.NaN()
		}
		table.Numbers = append(table.Numbers, 10*x, y)
	}
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 2e5}))
	c := p.Fit.Clusters[0]
	if r := c.Covariance[2] / math.Sqrt(c.Covariance[0]*c.Covariance[3]); p.Number != 1 || math.Abs(r-0.8) > 0.04 {
		t.Errorf("K = %d, correlation %.3f, want .8", p.Number, r)
	}
}

// Clusters that are thin along a common oblique direction keep their rows when they are predicted.
func TestPredictThinClusters(t *testing.T) {
	rng := em.NewRandom(3, 3)
	labels, cells := make([]int32, 250), em.Grid(5, 250)
	for i := range labels {
		labels[i] = int32(rng.IntN(2))
		size := rng.NormFloat64()
		for d, slope := range [...]float64{1, 0.8, 1.5, 1.7, 0.9} {
			cells[d][i] = 3*size*slope + 0.15*rng.NormFloat64() + 1.2*float64(labels[i])*float64(d%2)
		}
	}
	table := tableOf(cells)
	e := tables.FitEncoder(table)
	fit := fit.New(table, e, em.Fit(e.Encode(table, true), labels, nil, 2, math.Inf(1)))
	agree(t, "predicted", labels, fit.Predict(table).Labels, 0.98)
}
