package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The committed files are what the program writes.
func TestFilesAreCurrent(t *testing.T) {
	dir := t.TempDir()
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"points.csv", "labelled.csv"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		held, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(held, want) {
			t.Errorf("examples/%s differs from what ./examples/generate writes; run it", name)
		}
	}
}
