package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// dataJSON is what `data list` prints with --json.
type dataJSON struct {
	SchemaVersion int `json:"schema_version"`
	Datasets      []struct {
		Name, Folder, State string
		Files               []struct{ File, Path, State, Fault string }
	}
}

func TestDataStates(t *testing.T) {
	dir := t.TempDir()
	must.M(os.Mkdir(filepath.Join(dir, "mnist"), 0o755))
	bad := filepath.Join(dir, "mnist", "t10k-labels-idx1-ubyte.gz")
	must.M(os.WriteFile(bad, []byte("<html>"), 0o644))
	got := result[dataJSON](t, "data", "list", "--data-dir", dir)
	if got.SchemaVersion != 1 || len(got.Datasets) < 8 {
		t.Fatalf("with a damaged file: %+v", got)
	}
	mnist := got.Datasets[0]
	if mnist.State != "damaged" || mnist.Folder != filepath.Join(dir, "mnist") ||
		len(mnist.Files) != 4 || mnist.Files[0].State != "missing" {
		t.Errorf("%+v", mnist)
	}
	if f := mnist.Files[3]; f.State != "damaged" || f.Path != bad || f.Fault == "" {
		t.Errorf("%+v", f)
	}
	t.Setenv("GFNCP_DATA", dir)
	stdout, _ := done(t, "data", "list")
	contains(t, strings.Join(strings.Fields(stdout), " "), "damaged "+filepath.Join(dir, "mnist"),
		"missing "+filepath.Join(dir, "fashion-mnist"))
}

// With the real files, both data sets and the six that are made of them are present, and nothing needs the net.
func TestDataPresent(t *testing.T) {
	dir := os.Getenv("GFNCP_DATA")
	if dir == "" {
		t.Skip("set GFNCP_DATA to a folder with MNIST and Fashion-MNIST to run this test")
	}
	if stdout, stderr := done(t, "data", "fetch", "--data-dir", dir, "--offline", "--quiet"); stdout+stderr != "" {
		t.Errorf("fetch: %s%s", stdout, stderr)
	}
	if stdout, _ := done(t, "data", "list"); strings.Count(stdout, "  present  ") != 8 {
		t.Errorf("list: %s", stdout)
	}
	if _, stderr := done(t, "data", "fetch", "mnist", "--offline"); strings.Count(stderr, "is there already") != 4 {
		t.Errorf("fetch mnist: %s", stderr)
	}
	// One of two is there: part of the work failed.
	half := t.TempDir()
	must.M(os.Symlink(must.M1(filepath.Abs(filepath.Join(dir, "mnist"))), filepath.Join(half, "mnist")))
	if _, stderr, status := gfncp("data", "fetch", "--data-dir", half, "--offline", "--quiet"); status != exitPartly ||
		!strings.Contains(stderr, "fmnist is not there") {
		t.Errorf("fetch with half of the data: status %d\n%s", status, stderr)
	}
}
