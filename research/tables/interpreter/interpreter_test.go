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

// A script doubles numbers. One that fails says why, a command that is not there is named, and a context that ends
// stops it.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath(Python.command[0]); err != nil {
		t.Skip(err)
	}
	var out []float64
	must.M(Python.Run(t.Context(), double, []float64{1, 2.5}, &out))
	if len(out) != 2 || out[0] != 2 || out[1] != 5 {
		t.Errorf("the script gave %v", out)
	}
	if err := Python.Run(t.Context(), `raise ValueError("too few points")`, nil, nil); err == nil ||
		!strings.Contains(err.Error(), "too few points") {
		t.Errorf("a script that fails gave %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Python.Run(ctx, double, []float64{1}, &out); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it gave %v", err)
	}
	t.Setenv("GFNCP_PYTHON", "gfncp-has-no-such-command")
	if err := Python.Run(t.Context(), double, []float64{1}, &out); !errors.Is(err, exec.ErrNotFound) ||
		!strings.Contains(err.Error(), "gfncp-has-no-such-command") {
		t.Errorf("with another command in the environment: %v", err)
	}
}
