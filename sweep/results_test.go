package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// reached gives jobs of a plan results that a function invents from their configs.
func reached(p *Plan, quality func(c train.Config) (evaluation.Quality, bool)) results {
	r := results{plan: p, tested: map[int]evaluation.Tested{}}
	for _, j := range p.Jobs {
		q, ok := quality(j.Config)
		if !ok {
			continue
		}
		done := train.Result{Steps: 7, Seconds: 2, Backend: "go"}
		r.tested[j.N] = evaluation.Tested{Result: done, Scores: q}
	}
	return r
}

// A cell says how many of its seeds are done. A peer has no MC at all.
func TestCells(t *testing.T) {
	p := must.M1(planned("seeds = [1, 2]\n[[list]]\nlabel = \"good\"\n[[list]]\nlabel = \"same\"\nloss.beta = 0.9\n" +
		"[[list]]\nlabel = \"half\"\nloss.beta = 0.8\n[[list]]\nlabel = \"none\"\nloss.beta = 0.7\n[[list]]\nlabel = " +
		"\"peer\"\nmodel = \"dac\"\n"))
	r := reached(p, func(c train.Config) (evaluation.Quality, bool) {
		seed := float64(c.Seed)
		switch {
		case c.Model == train.DAC:
			return evaluation.Quality{Sets: 4, NMI: 0.1}, true
		case c.Loss.Beta == 0.9:
			return evaluation.Quality{Sets: 4, NMI: 0.7001 + seed/10, MC: 5}, true
		case c.Loss.Beta == 0.8:
			return evaluation.Quality{Sets: 4, NMI: 0.99, MC: 1}, c.Seed == 1
		case c.Loss.Beta == 0.7:
			return evaluation.Quality{}, false
		}
		return evaluation.Quality{Sets: 4, NMI: 0.7 + seed/10, MC: 9}, true
	})
	cells := r.cells()
	got := map[string]string{}
	for _, c := range cells {
		got[c.Model+" "+c.Metric] = table.FormatValue(c.Metric, c.Ours, false) + " " + c.Note
	}
	for name, want := range map[string]string{
		"good NMI": "0.850 ± 0.071 ", "same NMI": "0.850 ± 0.071 ", "half NMI": "0.990 1 of 2 seeds",
		"none NMI": "– not done", "peer NMI": "0.100 ± 0.000 ",
		"good MC": "9.0 ± 0.0 ", "same MC": "5.0 ± 0.0 ", "half MC": "1.0 1 of 2 seeds", "none MC": "– not done",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if _, ok := got["peer MC"]; ok {
		t.Error("a peer has an MC")
	}
	if notes := strings.Join(r.notes(), " "); !strings.HasPrefix(notes, "3 of 10 trainings are not done.") {
		t.Errorf("notes %q", notes)
	}
}

// Settings are compared under the same seeds: what a pair's runs share, such as the difficulty of a seed's sets, is no
// error of their difference.
func TestDifferences(t *testing.T) {
	p := must.M1(planned("seeds = [1, 2, 3, 4]\nmetrics = [\"NMI\", \"clusters\"]\n" +
		"[grid]\nloss.beta = [0.9, 0.8, 0.7]\n"))
	r := reached(p, func(c train.Config) (evaluation.Quality, bool) {
		nmi := []float64{0, 0.1, 0.3, 0.2, 0.4}[c.Seed]
		switch c.Loss.Beta {
		case 0.8:
			nmi += []float64{0, 0.02, 0.01, 0.02, 0.03}[c.Seed] // .02 ± .0041
		case 0.7:
			nmi += []float64{0, 0.05, -0.02, 0.03, -0.04}[c.Seed] // .005 ± .021
		}
		return evaluation.Quality{Sets: 4, NMI: nmi, Clusters: 10 * c.Loss.Beta}, true
	})
	var want []string
	for _, d := range []string{"8 %s NMI +0.02 ± 0.0041, clusters -1", "7 %s NMI +0.005 ± 0.021, clusters -2"} {
		of := "− beta = 0.9 (MoG), means of 4 seeds ± standard error:"
		want = append(want, fmt.Sprintf("beta = 0."+d+" ± 0.", of))
	}
	if got := r.comparisons(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	r.plan = must.M1(planned("seeds = [1, 2]\n[grid]\ndata.fixed_k = [2, 3]\n"))
	said := r.notes()
	if len(said) != 1 || !strings.Contains(said[0], "test.fixed_k") {
		t.Errorf("of different tests: %q", said)
	}
}
