package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// tiny is a [set] under which a training takes well under a second.
const tiny = `
[set]
net.hidden = 8
net.embed = 4
net.global = 4
data.batch = 4
data.n_min = 5
data.n_max = 10
train.steps = 6
train.valid_every = 3
train.valid_sets = 4
train.checkpoint_every = 2
test.sets = 3
test.n = 8
`

func tinySweep(t *testing.T, text string) *Sweep {
	t.Helper()
	return sweepIn(t.TempDir(), text+tiny)
}

func sweepIn(root, text string) *Sweep {
	spec := must.M1(parseSpec("tiny.toml", []byte(text)))
	return must.M1(New(filepath.Join(root, "sweeps"), filepath.Join(root, "runs"), spec.Text,
		must.M1(spec.Plan("smoke", 1, smokeCells))))
}

func lab(hear train.Listener) Train {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	return (&experiments.Lab{Backend: backend, Hear: func(string) train.Listener { return hear }}).TrainAndTest
}

// failing is a lab without a device.
func failing(context.Context, string, train.Config, evaluation.Test) (evaluation.Tested, error) {
	return evaluation.Tested{}, errors.New("no such backend")
}

// unopened fails the test when a worker finds something to compute.
func unopened(t *testing.T) Train {
	return func(context.Context, string, train.Config, evaluation.Test) (evaluation.Tested, error) {
		t.Error("the worker computes")
		return evaluation.Tested{}, errors.New("not wanted")
	}
}

func wantState(t *testing.T, s *Sweep, status Status, attempts, step int) State {
	t.Helper()
	state := must.M1(s.State(s.Plan.Jobs[0]))
	if state.Status != status || state.Attempts != attempts || state.Step != step {
		t.Errorf("state %+v, want %s after %d attempts at step %d", state, status, attempts, step)
	}
	return state
}

// A job goes from planned over interrupted to done; what is done is never computed again, and what was interrupted
// continues. The results then hold one number for each metric.
func TestWork(t *testing.T) {
	s := tinySweep(t, "[grid]\nloss.beta = [0.9]\n")
	job := s.Plan.Jobs[0]
	wantState(t, s, Planned, 0, 0)
	ctx, cancel := context.WithCancel(t.Context())
	stopAtThree := train.Listener{Step: func(r train.StepReport, _ int) {
		if r.Step == 3 {
			wantState(t, s, Running, 1, 3)
			cancel()
		}
	}}
	if err := s.Work(ctx, job, lab(stopAtThree)); !errors.Is(err, ErrLater) {
		t.Fatalf("an interrupted job ends with %v", err)
	}
	wantState(t, s, Interrupted, 1, 3)
	first := 0
	hear := train.Listener{Step: func(r train.StepReport, _ int) {
		if first == 0 {
			first = r.Step
		}
	}}
	must.M(s.Work(t.Context(), job, lab(hear)))
	if first != 4 {
		t.Errorf("the second attempt began with step %d, want 4", first)
	}
	wantState(t, s, Done, 2, 6)
	must.M(s.Work(t.Context(), job, unopened(t)))

	results := s.Results(must.M1(s.States()), table.Provenance{})
	if len(results.Cells) != len(s.Plan.Metrics) {
		t.Fatalf("%d cells", len(results.Cells))
	}
	for _, c := range results.Cells {
		if c.Ours == nil || c.Ours.N != 1 || c.Steps != 6 || c.TestSets != 3 {
			t.Errorf("cell %+v", c)
		}
	}
	must.M(results.Write(t.TempDir()))

	must.M(os.Remove(filepath.Join(s.RunDir(job), "result.json"))) // somebody cleared up
	wantState(t, s, Planned, 2, 6)
	must.M(s.Work(t.Context(), job, lab(train.Listener{})))
	wantState(t, s, Done, 3, 6)
}

// Whatever ends an attempt, the next process can tell: an error and a panic are failures with their reasons, a death
// leaves a state without a lock.
func TestEnds(t *testing.T) {
	s := tinySweep(t, "[grid]\nloss.beta = [0.9]\n")
	job := s.Plan.Jobs[0]
	if err := s.Work(t.Context(), job, failing); err == nil || errors.Is(err, ErrLater) {
		t.Errorf("a failed job ends with %v", err)
	}
	if state := wantState(t, s, Failed, 1, 0); state.Error != "no such backend" || state.Ended == "" {
		t.Errorf("state %+v", state)
	}
	lost := func(context.Context, string, train.Config, evaluation.Test) (evaluation.Tested, error) {
		panic("lost")
	}
	if err := s.Work(t.Context(), job, lost); err == nil {
		t.Error("a panic is no failure")
	}
	if state := wantState(t, s, Failed, 2, 0); !strings.HasPrefix(state.Error, "panic: lost\n") {
		t.Errorf("state %+v", state)
	}
	must.M(s.writeState(job, State{Status: Running, Attempts: 3})) // as SIGKILL leaves it
	wantState(t, s, Interrupted, 3, 0)
}

// A lock that another process holds keeps a worker away, whatever the state says.
func TestHeld(t *testing.T) {
	s := tinySweep(t, "[grid]\nloss.beta = [0.9]\n")
	lock := flock.New(s.lockPath(s.Plan.Jobs[0]))
	if !must.M1(lock.TryLock()) {
		t.Fatal("the lock is taken")
	}
	wantState(t, s, Running, 0, 0)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if err := s.Work(ctx, s.Plan.Jobs[0], unopened(t)); !errors.Is(err, ErrLater) {
		t.Errorf("a second worker ends with %v", err)
	}
	must.M(lock.Unlock())
	wantState(t, s, Planned, 0, 0)
}

// Another sweep, or gfncp reproduce, may train the same run: a worker waits for it instead of failing.
func TestSharedRunIsAwaited(t *testing.T) {
	s := tinySweep(t, "[grid]\nloss.beta = [0.9]\n")
	dir := s.RunDir(s.Plan.Jobs[0])
	must.M(os.MkdirAll(dir, 0o755))
	other := flock.New(filepath.Join(dir, "lock"))
	if !must.M1(other.TryLock()) {
		t.Fatal("the lock is taken")
	}
	go func() {
		time.Sleep(lookEvery / 2)
		must.M(other.Unlock())
	}()
	must.M(s.Work(t.Context(), s.Plan.Jobs[0], lab(train.Listener{})))
	wantState(t, s, Done, 1, 6)
}
