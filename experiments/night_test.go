package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// At scale night tables take shipped weights until the cell's own run is done.
func TestShippedAtNight(t *testing.T) {
	lab := &Lab{Runs: t.TempDir(), Scale: Night, Seeds: 1, Train: TrainMissing}
	lab.Backend, lab.BackendName = must.M1(must.M1(engine.Choose("go")).Open()), "go"
	lab.Overrides = []string{
		"net.hidden=8", "net.embed=8", "net.global=8", "data.batch=2", "data.n_min=6", "data.n_max=8",
		"train.steps=2", "train.valid_every=2", "train.valid_sets=2", "train.checkpoint_every=2",
	}
	shipped := &train.Model{Config: Night.config(mogData, ncp, 0), Card: train.Card{Name: "mog-ncp"}}
	lab.Shipped = func(name string) (*train.Model, bool) { return shipped, name == "mog-ncp" }
	if w, ok, err := lab.ready(mogData, ncp, 0); err != nil || !ok || w.Model != shipped {
		t.Errorf("before the run is done: %+v, %t, %v", w, ok, err)
	}
	name, c, within, err := lab.cell(mogData, ncp, 0)
	must.M(err)
	if _, err := within.trained(t.Context(), name, c); !errors.Is(err, errNotTrained) {
		t.Errorf("trained without being told to: %v", err)
	}
	within.Train = TrainAlways
	must.M1(within.trained(t.Context(), name, c))
	if w, ok, err := lab.ready(mogData, ncp, 0); err != nil || ok {
		t.Errorf("after the run is done: %+v, %t, %v", w, ok, err)
	}
}

// shippedConfig is how a shipped model was trained.
func shippedConfig(name string) train.Config {
	path := filepath.Join("..", "pretrained", "configs", name+".toml")
	return must.M1(train.ParseConfig(path, must.M1(os.ReadFile(path)), train.Config{}))
}

// Some shipped models are trainings of scale night, but for the shards of mog-gfncp-free, which were two then.
func TestShippedAreOfTheNight(t *testing.T) {
	free := Night.config(mogData, freeGFNCP, 0)
	free.Train.Shards = 2
	for name, want := range map[string]train.Config{
		"mog-gfncp-free":                  free,
		"mnist-gfncp-published":           Night.config(mnistData, codeGFNCP, 0),
		"mog-ncp-extended":                Night.config(mogData, extendedNCP, 0),
		"mog-gfncp-published-extended":    Night.config(mogData, extendedGFNCP, 0),
		"fmnist-gfncp-published-extended": Night.config(fashionData, extendedGFNCP, 0),
	} {
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
