//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtstub"
	"github.com/gfncp/gfncp/sweep"
)

// What the first list for a GPU may compile: programs one after the other, each 26 seconds on average, in 25 minutes.
const (
	mostCompiled = 25 * 60 / 26
	flagsInTurn  = 9 // of doctor --xla-flags: three times the three programs of a decoding, one kind after another
)

// The first list for a GPU compiles as many programs as benchmarks/gpu/README.md says, which 25 minutes are enough for.
// Executions cost nothing here and return zeros, so doctor and parity fail, behind the last of their programs.
func TestFirstListCompilesLittle(t *testing.T) {
	backend := "xla:" + pjrtstub.Plugin(t)
	pjrtstub.Zero(t, "decoding_loop 1=arg7") // as many steps are done as are asked for
	read := pjrtstub.Record(t)
	dir, results := t.TempDir(), t.TempDir()
	program := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asProgram, must.M1(os.Executable()))
	must.M(os.WriteFile(filepath.Join(dir, "gfncp"), []byte(program), 0o755))
	plan := must.M1(must.M1(sweep.ReadSpec("../../benchmarks/gpu/first.toml")).Plan("small"))
	total, groups := 0, map[string]int{}
	for _, job := range plan.Jobs {
		if job.Name == "xla-flags" {
			continue
		}
		sh := exec.Command("sh", "-c", job.Command.Line)
		sh.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "BACKEND="+backend,
			engine.BackendEnv+"="+backend, "RUNS="+dir, "RESULTS="+results)
		out, err := sh.CombinedOutput()
		fails := job.Name == "doctor" || strings.HasPrefix(job.Name, "parity")
		if count := len(read().Programs); count == 0 || (err != nil) != fails {
			t.Errorf("%s compiled %d programs: %v\n%s", job.Name, count, err, out)
		} else {
			t.Logf("%s: %d programs", job.Name, count)
			total += count
			groups[group(job.Name)] += count
		}
	}
	says := fmt.Sprintf("doctor %d; parity %d (a training step 3 to 5, the others 1 to 3); 50 steps of training %d; "+
		"TF32 %d;", groups["doctor"], groups["parity"], groups["train"], groups["tf32"])
	readme := string(must.M1(os.ReadFile("../../benchmarks/gpu/README.md")))
	if readme = strings.Join(strings.Fields(readme), " "); !strings.Contains(readme, says) ||
		!strings.Contains(readme, fmt.Sprintf(" bench %d;", groups["bench"])) ||
		!strings.Contains(readme, fmt.Sprintf(" %d programs and the flags", total)) {
		t.Errorf("benchmarks/gpu/README.md does not say: %s bench %d; together %d", says, groups["bench"], total)
	}
	if total+flagsInTurn > mostCompiled {
		t.Errorf("%d programs, %d of them for the flags, are more than %d",
			total+flagsInTurn, flagsInTurn, mostCompiled)
	}
}

// group is how the README adds the jobs of a list up.
func group(job string) string {
	switch {
	case strings.HasPrefix(job, "parity-tf32"):
		return "tf32"
	default:
		name, _, _ := strings.Cut(job, "-")
		return name
	}
}
