package experiments

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

// The shipped mog-gfncp-free is a training of scale night, but for the shards, which were two then.
func TestFreeIsOfTheNight(t *testing.T) {
	path := filepath.Join("..", "pretrained", "configs", "mog-gfncp-free.toml")
	shipped := must.M1(train.ParseConfig(path, must.M1(os.ReadFile(path)), train.Config{}))
	want := Night.config(mogData, freeGFNCP, 0)
	want.Train.Shards = 2
	if want.Seed = 1; shipped != want {
		t.Errorf("%s:\n%s\nwant\n%s", path, shipped, want)
	}
}

// Trainings of GFNCP with free flows on images draw clusters as the last stages of the shipped ones did, no others do.
func TestWalksOfImages(t *testing.T) {
	for name, d := range map[string]dataset{"mnist": mnistData, "fmnist": fashionData} {
		path := filepath.Join("..", "pretrained", "configs", name+"-gfncp-free.toml")
		shipped := must.M1(train.ParseConfig(path, must.M1(os.ReadFile(path)), train.Config{})).Data
		got := Night.config(d, freeGFNCP, 0).Data
		if got.Walk == 0 || got.Walk != shipped.Walk || got.Neighbors != shipped.Neighbors {
			t.Errorf("%s: walks of %d steps over %d neighbours, shipped %d over %d", name, got.Walk, got.Neighbors,
				shipped.Walk, shipped.Neighbors)
		}
		if plain := Night.config(d, ncp, 0).Data; plain.Neighbors != 0 || plain.Walk != 0 {
			t.Errorf("%s: NCP has neighbours", name)
		}
	}
}

// The shipped mnist-gfncp-published is a training of scale night.
func TestPublishedIsThePairs(t *testing.T) {
	path := filepath.Join("..", "pretrained", "configs", "mnist-gfncp-published.toml")
	shipped := must.M1(train.ParseConfig(path, must.M1(os.ReadFile(path)), train.Config{}))
	want := Night.config(mnistData, codeGFNCP, 0)
	want.Seed = shipped.Seed
	if shipped != want {
		t.Errorf("%s:\n%s\nwant\n%s", path, shipped, want)
	}
}
