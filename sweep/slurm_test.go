//go:build linux

package sweep

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/usererr"
)

// awkward plans a sweep of trainings that last some seconds, in a directory with blanks and signs.
func awkward(t *testing.T) *Sweep {
	t.Helper()
	root := filepath.Join(t.TempDir(), "it's 100 % a dir")
	text := "seeds = [1, 2]\n[grid]\nloss.beta = [0.9, 0.99]\n" + strings.NewReplacer("train.steps = 6",
		"train.steps = 600", "valid_every = 3", "valid_every = 300", "checkpoint_every = 2", "checkpoint_every = 300",
	).Replace(tiny)
	return sweepIn(root, text)
}

// A script names the jobs asked for and reads as bash; a program that will be gone, and nothing to run, are refused.
func TestScript(t *testing.T) {
	s := awkward(t)
	w := Workers{Program: []string{"/opt/it's/gfncp"}, Backend: "go"}
	text := string(must.M1(os.ReadFile(must.M1(s.Script(w, s.Plan.Jobs[1:3])))))
	for _, want := range []string{
		"#SBATCH --array=2,3\n", "100 %% a dir", `worker=('/opt/it'\''s/gfncp' 'sweep' 'work'`,
		"'--backend' 'go' '--job')",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if out, err := exec.Command("bash", "-n", s.file("slurm.sh")).CombinedOutput(); err != nil {
		t.Errorf("bash: %v\n%s", err, out)
	}
	for _, bad := range []struct {
		program string
		jobs    []Job
	}{{"/tmp/go-build12/gfncp", s.Plan.Jobs}, {"gfncp", nil}} {
		if _, err := s.Script(Workers{Program: []string{bad.program}}, bad.jobs); !usererr.Is(err) {
			t.Errorf("%s, %d jobs: %v", bad.program, len(bad.jobs), err)
		}
	}
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 1200 {
		if holds() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("after two minutes it is still not so that %s", what)
}

// On a real Slurm a script does all jobs: one is requeued in the middle, another is warned of its time limit, and both
// continue from their checkpoints. `.ci/slurm.sh start` makes a cluster of this machine.
func TestSlurm(t *testing.T) {
	short.Skip(t, "takes minutes")
	if out, err := exec.Command("sinfo", "--noheader").CombinedOutput(); err != nil {
		t.Skipf("no Slurm answers here (.ci/slurm.sh start): %v %s", err, out)
	}
	program := filepath.Join(t.TempDir(), "gfncp")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "github.com/gfncp/gfncp/cmd/gfncp")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build gfncp: %v\n%s", err, out)
	}
	s := awkward(t)
	script := must.M1(s.Script(Workers{Program: []string{program}, Backend: "go"}, s.Plan.Jobs))
	array := strings.TrimSpace(string(must.M1(
		exec.Command("sbatch", "--parsable", "--cpus-per-task=1", "--mem=1G", script).Output())))
	t.Cleanup(func() { _ = exec.Command("scancel", "--quiet", array).Run() })
	runs := func(j Job) bool {
		state := must.M1(s.State(j))
		return state.Status == Running && state.Step > 0
	}
	first, second := s.Plan.Jobs[0], s.Plan.Jobs[1]
	until(t, "two jobs run", func() bool { return runs(first) && runs(second) })
	must.M(syscall.Kill(parent(t, must.M1(s.State(second)).PID), syscall.SIGUSR1)) // as before the time limit
	must.M(exec.Command("scontrol", "requeue", fmt.Sprintf("%s_%d", array, first.N)).Run())
	until(t, "all are done", func() bool {
		for _, state := range must.M1(s.States()) {
			if state.Status != Done {
				return false
			}
		}
		return true
	})
	for i, state := range must.M1(s.States()) {
		if want := []int{2, 2, 1, 1}[i]; state.Attempts != want || state.Tested.Result.Steps != 600 {
			t.Errorf("job %d: %+v, want %d attempts", i+1, state, want)
		}
	}
}

func parent(t *testing.T, pid int) (parent int) {
	t.Helper()
	var status string
	stat := string(must.M1(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))))
	must.M1(fmt.Sscanf(stat[strings.LastIndex(stat, ")")+1:], "%s %d", &status, &parent))
	return parent
}
