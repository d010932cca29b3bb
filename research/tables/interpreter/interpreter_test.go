package interpreter

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

const double = `
import json, sys
print(json.dumps([2 * v for v in json.load(sys.stdin)]))
`

// python is the language after a command that no machine has.
func python(t *testing.T) Language {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	l := Python
	l.commands = append([]string{"gfncp-has-no-such-command"}, l.commands...)
	return l
}

// The next command is tried where one is not there.
func TestRun(t *testing.T) {
	var out []float64
	must.M(python(t).Run(t.Context(), double, []float64{1, 2.5}, &out))
	if len(out) != 2 || out[0] != 2 || out[1] != 5 {
		t.Errorf("the script gave %v", out)
	}
}

func TestMissing(t *testing.T) {
	none := Language{Name: "Nothing", commands: []string{"gfncp-has-no-such-command"}}
	var missing *MissingError
	err := none.Run(t.Context(), "", nil, nil)
	if !errors.As(err, &missing) || missing.Package != "" || err.Error() != "Nothing is not installed" {
		t.Errorf("without the command: %v", err)
	}
	l := python(t)
	err = l.Run(t.Context(), "import gfncp_has_no_such_module", nil, nil)
	if !errors.As(err, &missing) || missing.Package != "gfncp_has_no_such_module" {
		t.Errorf("without the module: %v", err)
	}
	t.Setenv("GFNCP_PYTHON", "gfncp-has-no-such-command")
	if err = l.Run(t.Context(), double, []float64{1}, new([]float64)); err == nil ||
		err.Error() != "Python is not installed" {
		t.Errorf("with another command in the environment: %v", err)
	}
}

// A script that fails says why, and a context that ends stops it.
func TestFaults(t *testing.T) {
	l := python(t)
	if err := l.Run(t.Context(), `raise ValueError("too few points")`, nil, nil); err == nil ||
		!strings.Contains(err.Error(), "too few points") {
		t.Errorf("a script that fails gave %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Run(ctx, double, []float64{1}, new([]float64)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it gave %v", err)
	}
}
