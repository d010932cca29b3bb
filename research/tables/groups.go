package main

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

// benchmarks are the tables that the command knows.
var benchmarks = []benchmark{
	{
		id: "tables-real", title: "Real tables of numbers, K unknown",
		shows: "how the posterior of tables compares with mclust, Gaussian mixtures and HDBSCAN on labelled real " +
			"tables",
		load: realTables,
		about: `Real sets: 5 are shipped, 18 are read from R packages (docs/tables.md). Rows with missing values are left
			out; columns are standardized. Classes need not be clusters: no method can find all of them.`,
		row: func(s tablesets.Set) string {
			return fmt.Sprintf("%s (%d × %d, K %d)", s.Name, s.N(), s.D, s.K())
		},
		numbers: setNumbers,
		bounded: true,
	},
	{
		id: "tables-synthetic", title: "Synthetic tables of numbers, K unknown",
		shows: "how the posterior of tables compares with mclust, Gaussian mixtures and HDBSCAN on shapes of other " +
			"origin",
		load: syntheticTables,
		about: `Synthetic sets: drawn by scikit-learn and NumPy (research/tables/tablesets/synthetic.py), not by the prior
			of a model; D 2–20, N 100–1,000, K 1–8; the labels are the generating components; columns are standardized.`,
		row:     func(s tablesets.Set) string { return s.Kind },
		numbers: kindNumbers,
	},
}

// realTables are all real sets.
func realTables(s *sheet) ([]tablesets.Set, error) {
	packaged, err := tablesets.Packaged(s.ctx)
	return append(tablesets.Shipped(), packaged...), err
}

// syntheticTables returns 200 sets.
func syntheticTables(s *sheet) ([]tablesets.Set, error) {
	drawing := tablesets.Drawing{Each: 20, Points: [2]int{100, 1000}, Seed: 1}
	return cached.Value(s.dir, drawing.Key(), func() ([]tablesets.Set, error) { return drawing.Draw(s.ctx) })
}

// groups returns a group of all sets, and one for each row.
func (b benchmark) groups(sets []tablesets.Set) []group {
	groups := []group{{name: fmt.Sprintf("mean of %d sets", len(sets)), numbers: agreementNumbers}}
	for i, set := range sets {
		groups[0].places = append(groups[0].places, i)
		at := slices.IndexFunc(groups, func(g group) bool { return g.name == b.row(set) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{name: b.row(set), numbers: b.numbers})
		}
		groups[at].places = append(groups[at].places, i)
	}
	return groups
}
