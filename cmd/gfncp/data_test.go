package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
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
		{[]string{"data", "verify", "cifar"}, `data set "cifar" is not known`},
		{[]string{"data", "list", "mnist"}, "gfncp data list takes no argument"},
		{[]string{"data", "path", "mnist", "fmnist"}, "gfncp data path takes at most one argument"},
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

// dataJSON is what `data list` and `data verify` print with --json.
type dataJSON struct {
	SchemaVersion int `json:"schema_version"`
	Datasets      []struct {
		Name, Folder, State string
		Files               []struct{ File, Path, State, Fault string }
	}
}

func TestDataStates(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr, status := gfncp("data", "verify", "--data-dir", dir)
	if status != exitPartly || strings.Count(stdout, "missing") != 8 ||
		stderr != "gfncp: missing: mnist fmnist; run gfncp data fetch mnist fmnist --data-dir "+dir+"\n" {
		t.Errorf("with nothing there: status %d\n%s%s", status, stdout, stderr)
	}
	must.M(os.Mkdir(filepath.Join(dir, "mnist"), 0o755))
	bad := filepath.Join(dir, "mnist", "t10k-labels-idx1-ubyte.gz")
	must.M(os.WriteFile(bad, []byte("<html>"), 0o644))
	stdout, stderr, status = gfncp("data", "verify", "mnist", "MNIST", "--json", "--data-dir", dir)
	var got dataJSON
	must.M(json.Unmarshal([]byte(stdout), &got))
	if status != exitFailed || !strings.Contains(stderr, "damaged: mnist; run gfncp data fetch mnist") ||
		got.SchemaVersion != 1 || len(got.Datasets) != 1 {
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
	for _, test := range []struct{ arg, want string }{
		{"", dir}, {"fashion-mnist", filepath.Join(dir, "fashion-mnist")},
	} {
		if stdout, _, status = gfncp(
			slices.DeleteFunc([]string{"data", "path", test.arg}, func(a string) bool { return a == "" })...,
		); status != exitDone || stdout != test.want+"\n" {
			t.Errorf("path %q: status %d, %s", test.arg, status, stdout)
		}
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
	if stdout, stderr, status := gfncp("data", "verify", "mnist"); status != exitDone ||
		strings.Count(stdout, "ok ") != 4 || stderr != "" {
		t.Errorf("verify: status %d\n%s%s", status, stdout, stderr)
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

func TestFlagsFirstOfSubcommands(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	for line, want := range map[string]string{
		"gfncp data fetch mnist --offline":           "gfncp data fetch --offline mnist",
		"gfncp data fetch mnist --data-dir d fmnist": "gfncp data fetch --data-dir d mnist fmnist",
		"gfncp data fetch mnist -- --offline":        "gfncp data fetch -- mnist --offline",
		"gfncp data verify mnist --json":             "gfncp data verify --json mnist",
		"gfncp data nonsense --json":                 "gfncp data --json nonsense",
		"gfncp data":                                 "gfncp data",
		"gfncp data fetch":                           "gfncp data fetch",
		"gfncp cluster points.csv --json --seed 3":   "gfncp cluster --json --seed 3 points.csv",
		"gfncp cluster fetch --json":                 "gfncp cluster --json fetch",
	} {
		if got := strings.Join(flagsFirst(app, strings.Fields(line)), " "); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", line, got, want)
		}
	}
}
