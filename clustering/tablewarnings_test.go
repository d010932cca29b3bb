package clustering

import (
	"math"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
	"github.com/gfncp/gfncp/posterior"
)

// What is doubtful depends on what the chains agree on; an answer whose K is not the most probable one says so.
func TestWarnChains(t *testing.T) {
	near, far := 1.0, 2.0
	for _, test := range []struct {
		chains Chains
		law    []posterior.KProb
		want   []string
	}{
		{Chains{Agree: true}, []posterior.KProb{{K: 2, P: 1}}, nil},
		{
			Chains{RHatK: &near, RHatDensity: &near, KByChain: []float64{1, 1}},
			[]posterior.KProb{{K: 2, P: 1}},
			nil,
		},
		{
			Chains{RHatK: &near, RHatDensity: &near, KByChain: []float64{0.4, 0.7}},
			[]posterior.KProb{{K: 2, P: 1}},
			[]string{"have only 0 effective draws (R-hat"},
		},
		{
			Chains{RHatK: &far, RHatDensity: &near, KByChain: []float64{0.6, 1}},
			[]posterior.KProb{{K: 2, P: 1}},
			[]string{"agree on K, roughly on its probability, 0.60 to 1.00 (R-hat of K 2.00, of the log"},
		},
		{
			Chains{RHatK: &near, RHatDensity: &far, KByChain: []float64{1, 1}},
			[]posterior.KProb{{K: 2, P: 1}},
			[]string{": the clusters, their number and the probabilities are doubtful"},
		},
		{
			Chains{RHatK: &far, RHatDensity: &far, KByChain: []float64{0.1, 0.7}},
			[]posterior.KProb{{K: 2, P: 0.4}, {K: 3, P: 0.6}},
			[]string{"do not agree", "3 clusters are more probable (0.60), but"},
		},
	} {
		r := Result{K: 2, Chains: &test.chains, KPosterior: test.law}
		r.warnChains()
		if len(r.Warnings) != len(test.want) {
			t.Fatalf("warnings %q, want %q", r.Warnings, test.want)
		}
		for i, want := range test.want {
			if !strings.Contains(r.Warnings[i], want) {
				t.Errorf("%q, want %q", r.Warnings[i], want)
			}
		}
	}
}

// One line names all values that may be codes, each once.
func TestWarnTies(t *testing.T) {
	number := TableColumn{Name: "a", Kind: tabular.Number}
	r := Result{Table: &TableFit{Columns: []TableColumn{number, number}, Clusters: []int32{1, 0}}}
	r.warnTies([]tables.Tie{
		{Column: 1, Clusters: []int{0}, Values: []float64{9}},
		{Clusters: []int{0, 1}, Values: []float64{99, 99}},
	})
	if len(r.Warnings) != 1 || !hasWarning(r.Warnings, `? 9 of column "a" in nearly all rows of cluster 1, `+
		`99 of column "a" in nearly all rows of clusters 1 and 0; cluster again`) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// A column in which a cluster has several humps is named, with the label of the cluster.
func TestWarnHumps(t *testing.T) {
	r := Result{K: 1, Table: &TableFit{Columns: []TableColumn{{Name: "a"}, {Name: "b"}}, Clusters: []int32{None, 0}}}
	r.addChecks(&fit.Checks{Groups: []int{-1, 0}, Separated: 1, Order: 1, Humps: []fit.Hump{{Cluster: 1, Column: 1}}})
	if len(r.Warnings) != 1 || !hasWarning(r.Warnings, `there may be more clusters: column "b" in cluster 0; cluster`) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// Two columns are never both filled. The first one is not filled together with a, but in few rows, by chance.
func TestWarnGaps(t *testing.T) {
	nan, r := math.NaN(), Result{}
	table := &tabular.Table{Columns: []tabular.Column{{Name: "rare"}, {Name: "a"}, {Name: "b"}}}
	for i := range 80 {
		for j, v := range [3][]float64{{nan, nan, nan, nan, nan, nan, 1, nan, nan, nan}, {nan, 1}, {1, nan}} {
			table.Columns[j].Values = append(table.Columns[j].Values, v[i%len(v)])
		}
	}
	if r.warnGaps(table); len(r.Warnings) != 1 || !hasWarning(r.Warnings, `columns "a" and "b" are never both filled`) {
		t.Errorf("warnings %q", r.Warnings)
	}
}
