// Package architecture_test keeps the packages' imports pointing one way.
package architecture_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

const (
	module = "github.com/gfncp/gfncp/"
	root   = "." // the package of the module itself
)

// order lists the packages along the data flow; each may import only those before it and internal ones.
var order = []string{
	"metrics", "tensorboard", "augment", "data", "datasets", "models", "vision", "losses", "sampling", "peers", "train", "posterior", "report", "experiments", "sweep",
	"clustering",
	"pretrained", root, "benchmarks", "examples", "cmd",
}

// forbidden imports are those that the order alone would allow.
var forbidden = map[string][]string{
	"metrics":   {"data", "models", "losses", "sampling", "peers", "train"},
	"posterior": {"models", "losses", "sampling", "peers", "train"},
	"report":    {"data", "models", "losses", "sampling", "peers", "train", "metrics", "posterior"},
	"sampling":  {"losses", "train"},
	"models":    {"augment", "data", "datasets"},
	"losses":    {"augment", "data", "datasets"},
}

func top(path string) string {
	if path+"/" == module {
		return root
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(path, module), "/")
	return name
}

func TestImportsPointOneWay(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")
	for line := range strings.Lines(string(must.M1(list.Output()))) {
		words := strings.Fields(line)
		from := top(words[0])
		for _, path := range words[1:] {
			if !strings.HasPrefix(path+"/", module) {
				continue
			}
			to := top(path)
			if to == "internal" || to == from {
				continue
			}
			at, before := slices.Index(order, from), slices.Index(order, to)
			if from == "internal" || at < 0 || before < 0 || before > at || slices.Contains(forbidden[from], to) {
				t.Errorf("%s imports %s, against the data flow", words[0], path)
			}
		}
	}
}
