package experiments

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tables"
	"github.com/gfncp/gfncp/experiments/tablesets"
	"github.com/gfncp/gfncp/internal/interpreter"
)

var tablesReal = tablesBenchmark{
	load: realTables,
	about: `Real sets: 5 are shipped, 18 are read from R packages where these are installed (docs/tables.md). Rows with missing
		values are left out; columns are standardized. Classes need not be clusters: no method can find all of them.`,
	groups: realGroups,
}.experiment(Experiment{
	ID: "tables-real", Title: "Real tables of numbers, K unknown", Section: "beyond the paper",
	Shows: "how the posterior of tables compares with mclust, Gaussian mixtures and HDBSCAN on labelled real tables",
	Built: "the posterior of tables, the model of --model if given, and seven rivals on 23 labelled sets, 5 of them " +
		"shipped; needs R and Python for the rivals",
	Expect: "small: some 10 minutes on 2 cores, most of it mclust on digits; smoke: seconds",
})

var tablesSynthetic = tablesBenchmark{
	load: syntheticTables,
	about: `Synthetic sets: drawn by scikit-learn and NumPy (experiments/tablesets/synthetic.py), not by the prior of a model;
		D 2–20, N 100–1,000 (scale smoke: 40–60), K 1–8; the labels are the generating components; columns are standardized.`,
	groups: syntheticGroups,
}.experiment(Experiment{
	ID: "tables-synthetic", Title: "Synthetic tables of numbers, K unknown", Section: "beyond the paper",
	Shows: "how the posterior of tables compares with mclust, Gaussian mixtures and HDBSCAN on shapes of other origin",
	Built: "the posterior of tables, the model of --model if given, and seven rivals on 200 sets of ten kinds; needs " +
		"R and Python",
	Expect: "small: some 40 minutes of processor time, most of it mclust, and some 4 s a set of exact sampling; " +
		"smoke: seconds",
})

var tablesDrawn = tablesBenchmark{
	load: drawnTables,
	about: `Drawn sets: from the prior that the model was trained on (its config's data.tables), by a stream of their own, N
		log-uniform: 60–400, at scale smoke 20–40; indicators of categories as gfncp cluster makes them. So the model is at
		home here, and the others are not.`,
	groups: drawnGroups,
	show:   24,
}.experiment(Experiment{
	ID: "tables-drawn", Title: "Tables drawn from the prior, K unknown", Section: "beyond the paper",
	Shows: "whether the probabilities of a model of tables are right where they should be: on draws of its own prior",
	Built: "the posterior of tables, the model of --model if it is given, and seven rivals on 100 sets; needs R and " +
		"Python for the rivals",
	Expect: "small: some 15 minutes on 2 cores; smoke: seconds",
})

// realTables are all real sets that are there; at scale smoke two small ones.
func realTables(s *sheet) ([]tablesets.Set, error) {
	if s.Scale == Smoke {
		return tablesets.Shipped(2)
	}
	sets, err := tablesets.Shipped(0)
	if err != nil {
		return nil, err
	}
	packaged, err := tablesets.Packaged(s.ctx)
	var missing *interpreter.MissingError
	if errors.As(err, &missing) {
		s.note("Left out: the sets of R packages, because %v. On Debian: apt-get install r-base-core r-cran-jsonlite.",
			missing)
		return sets, nil
	}
	for _, name := range slices.Sorted(maps.Keys(packaged.Missing)) {
		s.note("Left out: %s, because R lacks the package %[2]s. On Debian: apt-get install r-cran-%[3]s.",
			name, packaged.Missing[name], strings.ToLower(packaged.Missing[name]))
	}
	return append(sets, packaged.Sets...), err
}

// syntheticTables are 200 sets, or at scale smoke ten small ones; none without scikit-learn.
func syntheticTables(s *sheet) ([]tablesets.Set, error) {
	drawing := tablesets.Drawing{Each: 20, Points: [2]int{100, 1000}, Seed: 1}
	if s.Scale == Smoke {
		drawing.Each, drawing.Points = 1, [2]int{40, 60}
	}
	dir, err := s.tablesDir()
	if err != nil {
		return nil, err
	}
	sets, err := kept(dir, drawing.Key(), func() ([]tablesets.Set, error) { return drawing.Draw(s.ctx) })
	var missing *interpreter.MissingError
	if errors.As(err, &missing) {
		s.note("No sets: %v. On Debian: apt-get install python3-sklearn.", missing)
		return nil, nil
	}
	return sets, err
}

// drawnTables are 100 sets of the prior of the model of tables, or at scale smoke six small ones.
func drawnTables(s *sheet) ([]tablesets.Set, error) {
	prior, sets, least, most := tables.Default(), 100, 60.0, 400.0
	if s.Scale == Smoke {
		sets, least, most = 6, 20, 40
	}
	if m := s.Tables; m != nil && m.Config.Data.IsTables() {
		prior = m.Config.Data.Tables
	}
	all := make([]tablesets.Set, sets)
	for i := range all {
		rng := data.Rand(testSeed, "tables-drawn", i)
		n := int(least * math.Pow(most/least, rng.Float64()))
		drawn := prior.Draw(rng, n)
		all[i] = tablesets.Set{
			Name: fmt.Sprintf("draw %d", i+1), D: drawn.Columns, X: drawn.X, Labels: drawn.Labels, Scaled: true,
		}
	}
	return all, nil
}

// drawnGroups are all sets, and those with few and many clusters.
func drawnGroups(sets []tablesets.Set) []tablesGroup {
	groups := []tablesGroup{allOf(sets)}
	for _, within := range []struct {
		name        string
		least, most int
	}{{"K = 1", 1, 1}, {"K 2–4", 2, 4}, {"K 5 and more", 5, math.MaxInt}} {
		g := tablesGroup{name: within.name, numbers: kindNumbers}
		for i, set := range sets {
			if k := set.K(); k >= within.least && k <= within.most {
				g.places = append(g.places, i)
			}
		}
		if len(g.places) > 0 {
			g.name += fmt.Sprintf(" (%d sets)", len(g.places))
			groups = append(groups, g)
		}
	}
	return groups
}

// realGroups are all sets, and each set.
func realGroups(sets []tablesets.Set) []tablesGroup {
	groups := []tablesGroup{allOf(sets)}
	for i, set := range sets {
		name := fmt.Sprintf("%s (%d × %d, K %d)", set.Name, set.N(), set.D, set.K())
		groups = append(groups, tablesGroup{name, []int{i}, setNumbers})
	}
	return groups
}

// syntheticGroups are all sets, and those of each kind.
func syntheticGroups(sets []tablesets.Set) []tablesGroup {
	groups := []tablesGroup{allOf(sets)}
	for i, set := range sets {
		at := slices.IndexFunc(groups, func(g tablesGroup) bool { return g.name == set.Kind })
		if at < 0 {
			at = len(groups)
			groups = append(groups, tablesGroup{name: set.Kind, numbers: kindNumbers})
		}
		groups[at].places = append(groups[at].places, i)
	}
	return groups
}

func allOf(sets []tablesets.Set) tablesGroup {
	g := tablesGroup{name: fmt.Sprintf("mean of %d sets", len(sets)), numbers: agreementNumbers}
	for i := range sets {
		g.places = append(g.places, i)
	}
	return g
}
