package experiments

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments/classes"
	"github.com/gfncp/gfncp/internal/report/table"
)

// Without MNIST and Fashion-MNIST the rows of real images say so, with the command that fetches both. They stand below
// the paper's, with none of its numbers, and do not count as its cells.
func TestUnseenClassesWithoutData(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	lab := &Lab{Runs: t.TempDir(), Scale: Smoke, Seeds: 1, Train: TrainNever, Only: []string{"classes[13]-*"}}
	product, err := table4.Reproduce(t.Context(), lab)
	if !errors.Is(err, sources.ErrMissing) || product == nil {
		t.Fatalf("without image data: %v", err)
	}
	first := slices.IndexFunc(product.Cells, func(c table.Cell) bool { return strings.HasPrefix(c.Data, "20 ") })
	above, below := product.Cells[:first], product.Cells[first:]
	for _, c := range above {
		if !strings.HasPrefix(c.Data, "IN") || c.Note != "left out" {
			t.Errorf("above stands %+v", c)
		}
	}
	notes := map[string]int{}
	for i := range below {
		notes[below[i].Data+": "+below[i].Note]++
		if below[i].Paper != nil || below[i].Incomparable || !strings.HasPrefix(below[i].Data, "20 classes (") {
			t.Errorf("below stands %+v", below[i])
		}
		below[i].Ours = &table.Value{Mean: 0.5, N: 1}
	}
	one, two := notes["20 classes (1): no data"], notes["20 classes (2): left out"]
	if one < 10 || one != two || one != notes["20 classes (3): no data"] {
		t.Errorf("the cells say %v", notes)
	}
	if !strings.Contains(strings.Join(product.Footnotes, "\n"), "`gfncp data fetch classes3`") {
		t.Errorf("no footnote says how to get the data: %q", product.Footnotes)
	}
	if s := StandingOf("", false, product); s != (Standing{}) {
		t.Errorf("as cells of the paper count %+v", s)
	}
}

// Models of a split are trained on the features of its training half, by walks only where their row says so, and
// tested on those of its test half.
func TestUnseenClasses(t *testing.T) {
	seen := 0
	for _, cell := range table4.Configs(Small) {
		c := cell.Config
		if !strings.HasPrefix(cell.Name, "20 classes (2), ") {
			continue
		}
		seen++
		walks := strings.Contains(cell.Name, "walks")
		if d := c.Data; d.Source != classes.Name(2) || d.Split != "train" || (d.Walk > 0) != walks || d.NMax != 50 ||
			!d.AugmentBase || (d.Vectors.Noise > 0) == walks {
			t.Errorf("%s: %s", cell.Name, c)
		}
	}
	if seen != 7 {
		t.Errorf("%d rows", seen)
	}
	where := Small.test(classSets()[1], 0)
	if d := where.Data; d.Source != classes.Name(2) || d.Split != "test" || where.Sets != 300 || d.NMax != 50 {
		t.Errorf("tested on %+v", where)
	}
	if m := extendedNCP; m.applies(featureSets()[0], 0) || !m.applies(mnistData, 0) {
		t.Error("walks have a row where there are none")
	}
}

// Scale smoke takes one data set of a kind, and the others if they are asked for; other scales take all.
func TestSmokeTakesOneOfAKind(t *testing.T) {
	others := 0
	for i, d := range classSets() {
		if d.Another {
			others++
		}
		for _, c := range []struct {
			lab  Lab
			want bool
		}{
			{Lab{Scale: Smoke}, i == 0},
			{Lab{Scale: Smoke, Only: []string{d.Source + "-gfncp-free"}}, true},
			{Lab{Scale: Smoke, Only: []string{d.Source + "-ncp"}}, false},
			{Lab{Scale: Small}, true},
		} {
			if got := c.lab.wants(d, freeGFNCP); got != c.want {
				t.Errorf("%s at scale %s, limited to %q: %v", d.Name, c.lab.Scale, c.lab.Only, got)
			}
		}
	}
	if others != len(classSets())-1 {
		t.Errorf("%d of %d splits are of the same kind as one before", others, len(classSets()))
	}
}
