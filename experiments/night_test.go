package experiments

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// nightLab is for NCP on mixtures at scale night.
func nightLab(t *testing.T) *Lab {
	return &Lab{Runs: t.TempDir(), Scale: Night, Seeds: 1, Train: TrainMissing, Only: []string{"mog-ncp"}}
}

// Shipped weights replace a training of scale night only where they are its own; tables take them until it is done.
func TestShippedAtNight(t *testing.T) {
	own := &train.Model{Config: Night.config(mogData, ncp, 0)}
	own.Config.Seed, own.Card = 1, train.Card{Name: "mog-ncp", Steps: 8000, Seconds: 80}
	other := *own
	other.Config.Train.Steps = 100
	for _, test := range []struct {
		shipped *train.Model
		missing bool
	}{{own, false}, {&other, true}} {
		lab := nightLab(t)
		lab.Shipped = func(name string) (*train.Model, bool) { return test.shipped, name == "mog-ncp" }
		runs := must.M1(lab.Untrained(t.Context(), table3))
		if missing := len(runs) == 1; missing != test.missing {
			t.Errorf("shipped after %d steps: missing %+v", test.shipped.Config.Train.Steps, runs)
		}
		if w, ok := lab.shipped(mogData, ncp, 0); !ok || w != test.shipped {
			t.Errorf("shipped after %d steps: a table takes %v", test.shipped.Config.Train.Steps, w)
		}
	}
}

// A run with free K stands in for one with K fixed until that is finished.
func TestFreeRunAtNight(t *testing.T) {
	lab := nightLab(t)
	lab.Backend, lab.BackendName = must.M1(must.M1(engine.Choose("go")).Open()), "go"
	lab.Overrides = []string{
		"net.hidden=8", "net.embed=8", "net.global=8", "data.batch=2", "data.n_min=6", "data.n_max=8",
		"train.steps=2", "train.valid_every=2", "train.valid_sets=2", "train.checkpoint_every=2",
	}
	train := func(fixedK int) weights {
		name, c, within, err := lab.cell(mogData, ncp, fixedK)
		must.M(err)
		within.Train = TrainAlways
		return must.M1(within.trained(t.Context(), name, c))
	}
	ready := func() (weights, bool) {
		w, ok, err := lab.ready(mogData, ncp, 6)
		must.M(err)
		return w, ok
	}
	if _, ok := ready(); ok {
		t.Error("there are weights before any training")
	}
	free := train(0)
	if w, ok := ready(); !ok || w.dir != free.dir || w.name != "night, free K" || w.steps != 2 {
		t.Errorf("found %+v (%t), want those of %s", w, ok, free.dir)
	}
	if runs := must.M1(lab.Untrained(t.Context(), table2)); len(runs) != 1 {
		t.Errorf("the training with K fixed is not among %+v", runs)
	}
	train(6)
	if w, ok := ready(); ok {
		t.Errorf("%s stands in for a run that is done", w.dir)
	}
}

// shippedConfig is how a shipped model was trained.
func shippedConfig(name string) train.Config {
	path := filepath.Join("..", "pretrained", "configs", name+".toml")
	return must.M1(train.ParseConfig(path, must.M1(os.ReadFile(path)), train.Config{}))
}

// The shipped mog-gfncp-free and mnist-gfncp-published are trainings of scale night, but for the shards of the first,
// which were two then.
func TestShippedAreOfTheNight(t *testing.T) {
	free, published := Night.config(mogData, freeGFNCP, 0), Night.config(mnistData, codeGFNCP, 0)
	free.Train.Shards = 2
	for name, want := range map[string]train.Config{"mog-gfncp-free": free, "mnist-gfncp-published": published} {
		shipped := shippedConfig(name)
		if want.Seed = shipped.Seed; shipped != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, shipped, want)
		}
	}
}

// Trainings of GFNCP with free flows on images draw clusters as the last stages of the shipped ones did, no others do.
func TestWalksOfImages(t *testing.T) {
	for name, d := range map[string]dataset{"mnist": mnistData, "fmnist": fashionData} {
		shipped, got := shippedConfig(name+"-gfncp-free").Data, Night.config(d, freeGFNCP, 0).Data
		if got.Walk == 0 || got.Walk != shipped.Walk || got.Neighbors != shipped.Neighbors {
			t.Errorf("%s: walks of %d steps over %d neighbours, shipped %d over %d", name, got.Walk, got.Neighbors,
				shipped.Walk, shipped.Neighbors)
		}
		if plain := Night.config(d, ncp, 0).Data; plain.Neighbors != 0 || plain.Walk != 0 {
			t.Errorf("%s: NCP has neighbours", name)
		}
	}
}
