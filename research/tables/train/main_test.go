package main

import (
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp"
)

// A few steps on drawn tables end in a model that can be opened.
func TestTrain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := must.M1(config(filepath.Join("..", "..", "..", "pretrained", "configs", "table-first.toml"), []string{
		"net.hidden=8", "net.embed=8", "net.global=8", "data.batch=2", "data.n_min=20", "data.n_max=20",
		"train.steps=2", "train.valid_every=2", "train.valid_sets=2",
	}))
	must.M1(gfncp.Train(t.Context(), c, dir, nil))
	model := must.M1(gfncp.Open(dir, nil))
	defer model.Close()
	if !model.Config().Data.IsTables() {
		t.Errorf("trained on %s", model.Config().Data.Source)
	}
}
