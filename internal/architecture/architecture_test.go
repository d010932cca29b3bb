// Package architecture_test keeps the packages' imports pointing one way, and lines within 120 columns.
package architecture_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

const (
	module = "github.com/gfncp/gfncp/"
	root   = "."               // the package of the module itself
	report = "internal/report" // finished numbers are handed to it: it imports internal packages alone
)

// order lists the packages along the data flow; each may import only those before it and the internal ones that are not
// listed. A name covers what lies below it, unless that has a name of its own.
var order = []string{
	"metrics", "data/augment", "data/tabular", "data", "data/files", "data/sources", "models",
	"losses", "sampling", "models/peers", "train", "posterior",
	"mixture/em", "mixture/tables", "mixture/fit", "mixture", report, "evaluation", "clustering",
	"experiments", "sweep", "board", root, "serving", "pretrained", "benchmarks", "examples",
	"cmd/internal/answer", "cmd", "cmd/page",
}

// forbidden imports are those that the order alone would allow.
var forbidden = map[string][]string{
	"metrics":    {"data", "models", "losses", "sampling", "models/peers", "train"},
	"posterior":  {"models", "losses", "sampling", "models/peers", "train"},
	"sampling":   {"losses", "train"},
	"models":     {"data/augment", "data", "data/files", "data/sources"},
	"losses":     {"data/augment", "data", "data/files", "data/sources"},
	"train":      {"data/files", "data/sources"},
	"evaluation": {report},
	"sweep":      {"experiments"},
	"serving":    behindRoot,
	"cmd":        behindRoot,
}

// behindRoot are packages that the command and the server reach by the root package alone.
var behindRoot = []string{
	"data/augment", "models", "losses", "sampling", "models/peers", "posterior", "mixture/em", "mixture/tables",
	"mixture/fit", "mixture", "clustering",
}

// room is the name in order that covers a package, "internal" for what is not for import, or "".
func room(path string) string {
	if path+"/" == module {
		return root
	}
	path = strings.TrimPrefix(path, module)
	for at := path; at != "."; at = filepath.Dir(at) {
		if slices.Contains(order, at) {
			return at
		}
	}
	if strings.HasPrefix(path, "internal/") {
		return "internal"
	}
	return ""
}

func TestImportsPointOneWay(t *testing.T) {
	here := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")
	browser := exec.Command(here.Args[0], here.Args[1:]...)
	browser.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=")
	for line := range strings.Lines(string(must.M1(here.Output())) + string(must.M1(browser.Output()))) {
		words := strings.Fields(line)
		from := room(words[0])
		for _, path := range words[1:] {
			if !strings.HasPrefix(path+"/", module) {
				continue
			}
			to := room(path)
			if to == "internal" || to == from {
				continue
			}
			at, before := slices.Index(order, from), slices.Index(order, to)
			if from == "internal" || from == report || at < 0 || before < 0 ||
				before > at || slices.Contains(forbidden[from], to) {
				t.Errorf("%s imports %s, against the data flow", words[0], path)
			}
		}
	}
}

// The list of docs/architecture.md names the packages in this order, each on a line of its own.
func TestDocumentAgrees(t *testing.T) {
	text := string(must.M1(os.ReadFile("../../docs/architecture.md")))
	var named []string
	for _, m := range regexp.MustCompile("(?m)^- `([a-z/]+)`: ").FindAllStringSubmatch(text, -1) {
		if m[1] == "gfncp" {
			m[1] = root
		}
		named = append(named, m[1])
	}
	if !slices.Equal(named, order) {
		t.Errorf("docs/architecture.md lists\n%v, want\n%v", named, order)
	}
}
