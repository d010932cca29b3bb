package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func TestDataUserFaults(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"data", "nonsense"}, `unknown command "data nonsense"`},
		{[]string{"data", "--nonsense"}, "see gfncp data --help"},
		{[]string{"data", "fetch", "--nonsense"}, "see gfncp data fetch --help"},
		{[]string{"data", "fetch", "cifar"}, `data set "cifar" is not known`},
		{[]string{"data", "list", "mnist"}, "gfncp data list takes no argument"},
		{
			[]string{"data", "fetch", "mnist", "--offline", "--data-dir", dir},
			"no train-images-idx3-ubyte.gz, packed or not, in " + filepath.Join(dir, "mnist"),
		},
	} {
		stdout, stderr, status := gfncp(test.args...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("gfncp %q: status %d, stdout %q, stderr %q; want status 2 and one line with %q",
				test.args, status, stdout, stderr, test.want)
		}
	}
	if entries := must.M1(os.ReadDir(dir)); len(entries) != 0 {
		t.Errorf("refused commands left files behind: %v", entries)
	}
}

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
	stdout, stderr, status := gfncp("data", "list", "--json", "--data-dir", dir)
	var got dataJSON
	must.M(json.Unmarshal([]byte(stdout), &got))
	if status != exitDone || got.SchemaVersion != 1 || len(got.Datasets) < 8 {
		t.Fatalf("with a damaged file: status %d\n%s%s", status, stdout, stderr)
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
	stdout, _, status = gfncp("data", "list")
	words := strings.Join(strings.Fields(stdout), " ")
	if status != exitDone || !strings.Contains(words, "damaged "+filepath.Join(dir, "mnist")) ||
		!strings.Contains(words, "missing "+filepath.Join(dir, "fashion-mnist")) {
		t.Errorf("list: status %d\n%s", status, stdout)
	}
}

// With the real files, both data sets and the six that are made of them are present, and nothing needs the net.
func TestDataPresent(t *testing.T) {
	dir := os.Getenv("GFNCP_DATA")
	if dir == "" {
		t.Skip("set GFNCP_DATA to a folder with MNIST and Fashion-MNIST to run this test")
	}
	if stdout, stderr, status := gfncp(
		"data", "fetch", "--data-dir", dir, "--offline", "--quiet",
	); status != exitDone || stdout+stderr != "" {
		t.Errorf("fetch: status %d\n%s%s", status, stdout, stderr)
	}
	if stdout, _, status := gfncp("data", "list"); status != exitDone || strings.Count(stdout, "  present  ") != 8 {
		t.Errorf("list: status %d\n%s", status, stdout)
	}
	if _, stderr, status := gfncp("data", "fetch", "mnist", "--offline"); status != exitDone ||
		strings.Count(stderr, "is there already") != 4 {
		t.Errorf("fetch mnist: status %d\n%s", status, stderr)
	}
	// One of two is there: part of the work failed.
	half := t.TempDir()
	must.M(os.Symlink(must.M1(filepath.Abs(filepath.Join(dir, "mnist"))), filepath.Join(half, "mnist")))
	if _, stderr, status := gfncp("data", "fetch", "--data-dir", half, "--offline", "--quiet"); status != exitPartly ||
		!strings.Contains(stderr, "fmnist is not there") {
		t.Errorf("fetch with half of the data: status %d\n%s", status, stderr)
	}
}
