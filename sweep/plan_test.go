package sweep

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

// Settings are the product of the axes, jobs the product of the settings with the seeds.
func TestArithmetic(t *testing.T) {
	p := must.M1(planned(`
seeds = [3, 5]
[set]
train.steps = 10
test.n = 30
[grid]
loss.beta = [0.9, 1.0]
net.hidden = [8, 16, 32]
[[list]]
label = "plain"
[[list]]
loss.delta = 0.1
`))
	if len(p.Settings) != 2*3*2 || len(p.Jobs) != 2*len(p.Settings) {
		t.Fatalf("%d settings, %d jobs", len(p.Settings), len(p.Jobs))
	}
	for k, set := range p.Settings {
		at := []int{k / 6, k / 2 % 3, k % 2}
		for i, n := range set.Jobs {
			j := p.Jobs[n-1]
			if j.N != n || j.Config.Seed != p.Seeds[i] || j.Config.Train.Steps != 10 {
				t.Fatalf("job %d: number %d, seed %d, %d steps", n, j.N, j.Config.Seed, j.Config.Train.Steps)
			}
			beta, hidden, delta := []float64{0.9, 1}[at[0]], []int{8, 16, 32}[at[1]], []float64{0.6, 0.1}[at[2]]
			if j.Config.Loss.Beta != beta || j.Config.Net.Hidden != hidden || j.Config.Loss.Delta != delta ||
				j.Test.Data.NMax != 30 || j.Test.Sets != 16 {
				t.Fatalf("setting %v has the config of another: %+v %+v", at, j.Config, j.Test)
			}
		}
	}
	last := p.Settings[len(p.Settings)-1]
	if last.Label != "beta = 1, hidden = 32, delta = 0.1" || last.Data != "MoG" {
		t.Errorf("the last setting is called %q on %q", last.Label, last.Data)
	}
	if first := p.Settings[0]; first.Label != "beta = 0.9, hidden = 8, plain" {
		t.Errorf("the first setting is called %q", first.Label)
	}
	if seeds := []uint64{p.Jobs[11].Config.Seed, p.Jobs[12].Config.Seed}; seeds[0] != 3 || seeds[1] != 5 {
		t.Errorf("the jobs are not in the order of their seeds: %v", seeds)
	}
}

// A training that only the test's keys change is the scale's own, and so is its run: `gfncp reproduce` shares it.
func TestSharedRun(t *testing.T) {
	p := must.M1(planned("[set]\ntest.alpha = 1.0\n[grid]\nmodel = [\"ncp\", \"gfncp\"]\n"))
	cell := must.M1(smokeCells(train.NCP, "", ""))
	want := cell.Config()
	if len(p.Jobs) != 2 || p.Jobs[0].Config != want || p.Jobs[0].Run != cell.Run(want) {
		t.Errorf("job 1 of %d is %s, want the scale's own run", len(p.Jobs), p.Jobs[0].Run)
	}
	if own := cell.Test(want); p.Jobs[0].Test == own || p.Jobs[0].Test.Sets != own.Sets {
		t.Errorf("the test is %+v", p.Jobs[0].Test)
	}
	if p.Settings[0].Label != "model = ncp" {
		t.Errorf("%+v", p.Settings[0])
	}
}

// What a training set is changes nothing in the test sets, but for what a model cannot do without.
func TestTestSets(t *testing.T) {
	p := must.M1(planned("[set]\ndata.dim = 3\nnet.dim = 3\ndata.sigma_x = 2.0\ndata.alpha = 1.0\n" +
		"[grid]\ndata.fixed_k = [4, 0]\ndata.n_max = [50]\n"))
	d := p.Jobs[0].Test.Data
	if d.Dim != 3 || d.SigmaX != 2 || d.FixedK != 4 || d.AlphaMin != 6 || d.AlphaMax != 6 || d.NMin != 40 ||
		d.NMax != 40 || d.Stream != "test" {
		t.Errorf("the test sets are %s", d)
	}
}

// A warm start lasts for half of the steps, however many a sweep gives, unless the sweep says otherwise.
func TestWarmStart(t *testing.T) {
	const begin = "[base]\nstart = \"warm\"\n"
	p := must.M1(planned(begin + "[grid]\ntrain.steps = [10, 40]\n"))
	if a, b := p.Jobs[0].Config.Train.WarmupSteps, p.Jobs[1].Config.Train.WarmupSteps; a != 5 || b != 20 {
		t.Errorf("warm starts of %d and %d steps, want 5 and 20", a, b)
	}
	p = must.M1(planned(begin + "[grid]\ntrain.steps = [10, 40]\n[set]\ntrain.warmup_steps = 3\n"))
	if a := p.Jobs[1].Config.Train.WarmupSteps; a != 3 {
		t.Errorf("a warm start of %d steps, want 3", a)
	}
}

// The shipped files can be planned, under the same hash each time, and say what they ask.
func TestShippedSweeps(t *testing.T) {
	for _, path := range must.M1(filepath.Glob("../examples/sweeps/*.toml")) {
		s := must.M1(ReadSpec(path))
		p, again := must.M1(s.Plan("smoke", 2, smokeCells)), must.M1(s.Plan("smoke", 2, smokeCells))
		if p.Hash != again.Hash || p.Title == "" || p.Question == "" {
			t.Errorf("%s: hash %s, then %s; title %q", path, p.Hash, again.Hash, p.Title)
		}
	}
}

// What is written of a plan is read back whole.
func TestStore(t *testing.T) {
	root := t.TempDir()
	spec := must.M1(parseSpec("x.toml", []byte("[grid]\nloss.beta = [0.9, 1.0]\n")))
	plan := must.M1(spec.Plan("smoke", 1, smokeCells))
	s := must.M1(New(filepath.Join(root, "sweeps"), filepath.Join(root, "runs"), spec.Text, plan))
	again := must.M1(Open(s.Dir))
	if !reflect.DeepEqual(s.Plan, again.Plan) {
		t.Errorf("read back:\n%+v\nwritten:\n%+v", again.Plan, s.Plan)
	}
	if dir := again.RunDir(again.Plan.Jobs[0]); dir != filepath.Join(root, "runs", plan.Jobs[0].Run) {
		t.Errorf("the run lies in %s", dir)
	}
	if _, err := New(filepath.Join(root, "sweeps"), filepath.Join(root, "others"), spec.Text, plan); err == nil ||
		!strings.Contains(err.Error(), "--runs") {
		t.Errorf("the same sweep with other runs: %v", err)
	}
	if _, err := Open(root); err == nil || !strings.Contains(err.Error(), "plan.json") {
		t.Errorf("a directory without a plan: %v", err)
	}
	path := s.file("plan.json")
	text := strings.Replace(string(must.M1(os.ReadFile(path))), `"n": 1`, `"n": 2`, 1)
	must.M(os.WriteFile(path, []byte(text), 0o644))
	if _, err := Open(s.Dir); err == nil || !strings.Contains(err.Error(), "the plan is damaged") {
		t.Errorf("a plan with another byte: %v", err)
	}
	if _, err := s.Job(len(plan.Jobs) + 1); err == nil {
		t.Error("there is a job beyond the last")
	}
	line := (&Workers{Program: []string{"gfncp"}, Backend: "go"}).command(s, "2")
	if want := "gfncp sweep work " + s.Dir + " --backend go --job 2"; strings.Join(line, " ") != want {
		t.Errorf("the worker is %q, want %q", line, want)
	}
}
