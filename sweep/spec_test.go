package sweep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
)

// smokeCells are the cells of the paper's tables at scale smoke.
func smokeCells(model, data, start string) (Base, error) {
	return experiments.Smoke.Cell(model, data, start)
}

func planned(text string) (*Plan, error) {
	s, err := parseSpec("x.toml", []byte(text))
	if err != nil {
		return nil, err
	}
	return s.Plan("smoke", experiments.Smoke.Seeds(), smokeCells)
}

// Every fault of a sweep file is one line that names the file, says what is wrong and what to do. A key that no
// training reads is a fault.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "x.toml: nothing varies; write [grid]"},
		{"[grid]\n", "x.toml: nothing varies"},
		{"a = = 1\n", "x.toml:1: "},
		{"titel = \"x\"\n", `x.toml:1: unknown key "titel"; did you mean title`},
		{"[gird]\nloss.beta = [1.0]\n", `x.toml:1: unknown key "gird"`},
		{"[grid]\nloss.bta = [0.9, 1.0]\n", `x.toml: unknown key "loss.bta"; did you mean loss.beta`},
		{"[grid]\nbeta = [0.9, 1.0]\n", `x.toml: unknown key "beta"; did you mean loss.beta`},
		{"[grid]\ntest.points = [1, 2]\n", `x.toml: unknown key "test.points"`},
		{"seeds = [1,\n 1.5]\n", "x.toml:2: seeds has a value of the wrong kind, float"},
		{"[base]\nkind = 1\n", `x.toml: unknown key "kind"`},
		{"[base]\nmodel = \"gfn\"\n[grid]\nloss.beta = [1.0]\n", `model = "gfn" cannot be trained on mog; ccp is`},
		{"[base]\nmodel = 3\n[grid]\nloss.beta = [1.0]\n", "model = 3 is no text; write it in quotes"},
		{"[base]\nmodel = \"ncp\"\nstart = \"warm\"\n[grid]\nnet.hidden = [8]\n", `model "ncp" has no start "warm"`},
		{"[grid]\nmodel = [\"ccp\", \"ncp\"]\ndata = [\"mnist\"]\n", `model = "ccp" cannot be trained on mnist`},
		{"[set]\nnet.hidden = [8]\n", "x.toml: net.hidden has no single value"},
		{"[grid]\nloss.beta = 0.9\n", "x.toml: loss.beta has no list of values"},
		{"[grid]\nloss.beta = []\n", "x.toml: loss.beta has no list of values"},
		{"[grid]\nloss.beta = [0.9, 0.90]\n", "are the same setting"},
		{"[grid]\nloss.beta = [0.9, \"high\"]\n", `x.toml: beta = high: loss.beta = "high" does not fit this key`},
		{"[grid]\nnet.hidden = [8, 8.5]\n", "x.toml: hidden = 8.5: net.hidden = 8.5 does not fit this key"},
		{"[grid]\nloss.beta = [0.9, 1.5]\n", "x.toml: beta = 1.5: loss.beta"},
		{"[grid]\ntest.n = [100, 30]\n", "x.toml: test.n is one for all settings"},
		{"[set]\ntest.n = 7.5\n[grid]\nloss.beta = [0.9]\n", "test.n = 7.5 does not fit this key"},
		{"[set]\ntest.n = 0\n[grid]\nloss.beta = [0.9]\n", "data.n_min"},
		{"[set]\ntest.sets = 0\n[grid]\nloss.beta = [0.9]\n", "test.sets = 0 is not allowed"},
		{"[set]\ntest.alpha = -1\n[grid]\nloss.beta = [0.9]\n", "data.alpha_min"},
		{"[grid]\nseed = [1, 2]\n", "x.toml: a sweep does not set seed; write seeds = [1, 2, 3] at the top"},
		{"[grid]\ndata.source = [\"mnist\"]\n", "x.toml: a sweep does not set data.source"},
		{"[set]\nloss.beta = 1.0\n[grid]\n\"loss.beta\" = [0.9]\n", "loss.beta is set twice"},
		{"[set]\ndata.alpha_min = 1\n[grid]\ndata.alpha = [1]\n", "data.alpha_min is set twice"},
		{"[grid]\nloss.beta = [0.9]\n\"loss.beta\" = [0.99]\n", "x.toml: loss.beta is set twice"},
		{"[[list]]\nlabel = \"a\"\n[[list]]\nlabel = \"a\"\nloss.beta = 0.9\n", `two settings are called "a on MoG"`},
		{"[[list]]\nlabel = 3\n", `x.toml: unknown key "label"`},
		{"[[list]]\nloss.beta = 0.9\n\"loss.beta\" = 0.99\n", "loss.beta is set twice"},
		{"[[grid]]\nloss.beta = [0.9]\n", "x.toml:1: cannot store an array table in a map; mend this line"},
		{"[[list]]\nlabel = \"a\"\n[[list.loss]]\nbeta = 0.9\n", `x.toml: unknown key "loss"`},
		{"seeds = [1, 1]\n[grid]\nloss.beta = [0.9]\n", "x.toml: seed 1 is no whole number"},
		{"metrics = [\"NIM\"]\n", `x.toml: metric "NIM" is not known; choose one of NMI`},
		{"metrics = [\"ARI\", \"ARI\"]\n", `x.toml: metrics has "ARI" twice`},
		{"name = \"a/b\"\n[grid]\nloss.beta = [0.9]\n", `sweep name "a/b" cannot name a directory`},
		{"[base]\nmodel = \"dac\"\n[grid]\nmodel = [\"ncp\"]\n", "model is set twice"},
		{"[grid]\ndata.n_min = [20, 21]\nseeds = [1]\n", `x.toml: unknown key "seeds"`},
		{"[[list]]\nloss.beta = 0.9\n[[list]]\nlabel = \"again\"\nloss.beta = 0.9\n", "are the same setting"},
		{
			"[grid]\ndata.batch = [" + numbers(200) + "]\nnet.hidden = [" + numbers(200) + "]\n",
			"more than 10000 combinations",
		},
		{"[base]\nmodel = \"ncp\"\n[grid]\nloss.beta = [0.5, 0.9]\n", "x.toml: loss.beta = 0.5 means nothing"},
		{"[set]\ndata.neighbors = 5\n[grid]\ntrain.steps = [8]\n", "x.toml: data.neighbors = 5 means"},
		{"[set]\nloss.beta = 0.5\n[grid]\nmodel = [\"gfncp\", \"ncp\"]\n", ""},
		{"[set]\ntrain.warmup_steps = 9\n[grid]\ntrain.steps = [8]\n", "train.warmup_steps = 9 is more"},
		{"\ufeff[set]\ntrain.warmup_steps = 8\n[grid]\ntrain.steps = [8]\n", ""},
	} {
		_, err := planned(test.text)
		if test.want == "" && err != nil ||
			test.want != "" && (!usererr.Is(err) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q\n gives %v\nwant %s", test.text, err, test.want)
		}
	}
}

func numbers(n int) string {
	var words []string
	for i := range n {
		words = append(words, fmt.Sprint(i+1))
	}
	return strings.Join(words, ", ")
}

// The ways in which TOML writes a path mean the same.
func TestSpellings(t *testing.T) {
	one := must.M1(planned("[grid]\n\"loss.beta\" = [0.9, 1.0]\nnet.hidden = [8, 16]\n"))
	for _, text := range []string{
		"[grid]\nloss.beta = [0.9, 1.0]\nnet.hidden = [8, 16]\n",
		"grid = { loss.beta = [0.9, 1.0], net.hidden = [8, 16] }\n",
		"[grid]\n[grid.loss]\nbeta = [\n  0.9,\n  1.0,\n]\n[grid.net]\nhidden = [8, 16]\n",
	} {
		if other := must.M1(planned(text)); other.Hash != one.Hash {
			t.Errorf("%q plans another sweep", text)
		}
	}
}
