package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"
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
