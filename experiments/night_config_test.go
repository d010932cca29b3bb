package experiments

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

// The shipped mog-gfncp-free is a training of scale night.
func TestFreeIsOfTheNight(t *testing.T) {
	path := filepath.Join("..", "pretrained", "configs", "mog-gfncp-free.toml")
	shipped := must.M1(train.ParseConfig(path, must.M1(os.ReadFile(path)), train.Config{}))
	want := Night.config(mogData, freeGFNCP, 0)
	if want.Seed = 1; shipped != want {
		t.Errorf("%s:\n%s\nwant\n%s", path, shipped, want)
	}
}
