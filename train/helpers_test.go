package train_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// lossColumn lists step, kind and loss of a run's log, one line each.
func lossColumn(dir string) string {
	text := ""
	must.M(train.Replay(dir, train.Listener{
		Step:  func(r train.StepReport, _ int) { text += fmt.Sprintln(r.Step, r.Kind, r.Loss) },
		Valid: func(v train.Validation) { text += fmt.Sprintln(v.Step, "valid", v.Loss) },
	}))
	return text
}

// state is all tensors of a run's last checkpoint, the optimizer's included.
func state(dir string) string {
	return fmt.Sprint(must.M1(safetensors.ReadFile(lastCheckpoint(dir))).Tensors)
}

func weights(path string) string { return fmt.Sprint(must.M1(train.ReadModel(path)).Params) }

// endsAs fails unless two runs have the same best weights, optimizer state, losses and result.
func endsAs(t *testing.T, what, dir, want string) {
	t.Helper()
	if got, want := lossColumn(dir), lossColumn(want); got != want {
		t.Errorf("%s: losses\n%s\nwant\n%s", what, got, want)
	}
	if weights(train.BestPath(dir)) != weights(train.BestPath(want)) || state(dir) != state(want) {
		t.Errorf("%s: other weights or another optimizer state", what)
	}
	got, wanted := must.M1(train.ReadResult(dir)), must.M1(train.ReadResult(want))
	if got.Seconds = wanted.Seconds; got != wanted {
		t.Errorf("%s: the result is %+v, want %+v", what, got, wanted)
	}
}

// finish trains in a directory to the end, and returns the result with the step from which it went on and its warnings.
func finish(t *testing.T, c train.Config, dir string) (result train.Result, from int, warnings []string) {
	t.Helper()
	result = must.M1(train.Run(t.Context(), goBackend(), sources.Source, c, dir, train.Listener{
		Start: func(step, _ int, _ bool) { from = step },
		Warn:  func(err error) { warnings = append(warnings, err.Error()) },
	}))
	return result, from, warnings
}

// stopped is the directory of a run that was stopped after a step, or ended if that is the last.
func stopped(t *testing.T, c train.Config, step int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	goOn(t, sources.Source, c, dir, step)
	return dir
}

func goOn(t *testing.T, open train.Sources, c train.Config, dir string, step int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := train.Run(ctx, goBackend(), open, c, dir, train.Listener{Step: func(r train.StepReport, _ int) {
		if r.Step == step && step < c.Train.Steps {
			cancel()
		}
	}})
	if ended := step == c.Train.Steps; !ended && !errors.Is(err, train.ErrInterrupted) || ended && err != nil {
		t.Fatalf("a run stopped after step %d gave %v", step, err)
	}
}

// refused fails unless a run in a directory is refused for a reason, and leaves its files as they are; a directory that
// is not there is not made.
func refused(t *testing.T, open train.Sources, c train.Config, dir, why string) {
	t.Helper()
	before := folder(dir)
	_, err := train.Run(t.Context(), goBackend(), open, c, dir, train.Listener{})
	if !usererr.Is(err) || !strings.Contains(err.Error(), why) {
		t.Errorf("the run gave %v, want a refusal with %q", err, why)
	}
	if folder(dir) != before {
		t.Errorf("the run that is refused with %q has changed its directory", why)
	}
}

// folder is what the files of a directory hold.
func folder(dir string) (all string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			all += string(must.M1(os.ReadFile(path)))
		}
		all += path
		return err
	})
	return all
}

func relative(a, b float64) float64 { return math.Abs(a-b) / math.Max(math.Abs(a), math.Abs(b)) }
