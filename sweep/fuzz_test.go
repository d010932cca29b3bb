package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// oneLineFault reports an error that is no fault of the user in one line.
func oneLineFault(t *testing.T, err error) {
	t.Helper()
	if !usererr.Is(err) || strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("no one-line user fault: %q", err)
	}
}

// FuzzSpec plans any text as a sweep file: a plan comes back from its JSON as it was, and a fault is the user's.
func FuzzSpec(f *testing.F) {
	for _, path := range must.M1(filepath.Glob("../examples/sweeps/*.toml")) {
		f.Add(must.M1(os.ReadFile(path)))
	}
	f.Add([]byte("name = \"a\"\n[grid]\n\"loss.beta\" = [0.9, 0.99]\n"))
	f.Add([]byte("[base]\nmodel = \"ncp\"\n[[list]]\nlabel = \"one\"\n\"train.steps\" = 3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		spec, err := parseSpec("s.toml", text)
		if err != nil {
			oneLineFault(t, err)
			return
		}
		plan, err := spec.Plan("smoke", 1, smokeCells)
		if err != nil {
			oneLineFault(t, err)
			return
		}
		written := must.M1(json.Marshal(plan))
		again := &Plan{}
		must.M(json.Unmarshal(written, again))
		if must.M1(again.digest()) != plan.Hash || string(must.M1(json.Marshal(again))) != string(written) {
			t.Errorf("the plan of %q came back as %s", text, written)
		}
	})
}

// FuzzPlan opens any bytes as a plan, and asks for all states: there is one of each job, or an error.
func FuzzPlan(f *testing.F) {
	plan := must.M1(planned("[grid]\nloss.beta = [0.9]\n"))
	f.Add(must.M1(json.Marshal(plan)), []byte(`{"status":"done","attempts":1}`))
	f.Add([]byte(`{"schema_version":1,"jobs":[{"n":1,"run":"../x"}],"runs":"/"}`), []byte(`{"status":3}`))
	f.Add([]byte(`{"schema_version":1,"jobs":null}`), []byte("null"))
	dir := f.TempDir()
	must.M(os.MkdirAll(filepath.Join(dir, "state"), 0o755))
	f.Fuzz(func(t *testing.T, plan, state []byte) {
		must.M(os.WriteFile(filepath.Join(dir, "plan.json"), plan, 0o644))
		s, err := Open(dir)
		if err != nil {
			oneLineFault(t, err)
			return
		}
		for _, j := range s.Plan.Jobs[:min(len(s.Plan.Jobs), 3)] {
			must.M(os.WriteFile(s.statePath(j), state, 0o644))
			if got, err := s.State(j); err != nil {
				oneLineFault(t, err)
			} else if got.Status == "" {
				t.Errorf("state %q is %+v", state, got)
			}
		}
	})
}
