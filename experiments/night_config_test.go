package experiments

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

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
