package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// Each model has its card, and each file that is fetched its SHA-256: go run . writes both.
func TestBeside(t *testing.T) {
	want := beside(clone + "/pretrained")
	if len(want) < 20 {
		t.Fatalf("%d files", len(want))
	}
	for path, content := range want {
		if got, err := os.ReadFile(path); string(got) != content {
			t.Errorf("%s is not what the weights say (%v): run go run . in research/weights", path, err)
		}
	}
	for _, shelf := range shelves {
		for _, path := range must.M1(filepath.Glob(filepath.Join(clone, "pretrained", shelf, "*.md"))) {
			if want[path] == "" {
				t.Errorf("%s has no weights", path)
			}
		}
	}
}

// The network of tables clusters drawn tables as its card says: three standard errors of 24 sets below, or better.
func TestTableModel(t *testing.T) {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	m := must.M1(train.ReadModel(filepath.Join(clone, "pretrained", "embedded", "table.safetensors")))
	q := must.M1(evaluation.Model(t.Context(), backend, m, source(m.Config.Data, setting{1, 100}), 99, 24))
	if !(q.NMI >= m.Card.Metrics["nmi_n100"]-0.09) || !(q.ARI >= m.Card.Metrics["ari_n100"]-0.125) {
		t.Errorf("NMI %.3f and ARI %.3f on 24 sets, but its card says %v", q.NMI, q.ARI, m.Card.Metrics)
	}
}
