package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/train"
)

// countdown is a context that ends when it is looked at for the last-th time; it notes where each look came from.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	last   int
	mu     sync.Mutex
	from   []string
}

// lookedFrom are the places that a countdown knows: functions of a step and of a validation.
var lookedFrom = []string{
	"train.(*energyObjective).Cluster", "train.validation.score", "sampling.(*Sets)", "models.(*Network).inChunks",
	"train.(*evaluator).compute", "train.(*run).step",
}

func newCountdown(t *testing.T, last int) *countdown {
	c := &countdown{last: last}
	c.Context, c.cancel = context.WithCancel(t.Context())
	return c
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stack, place := string(debug.Stack()), ""
	for _, known := range lookedFrom {
		if place == "" && strings.Contains(stack, known) {
			place = known
		}
	}
	if c.from = append(c.from, place); len(c.from) == c.last {
		c.cancel()
	}
	return c.Context.Err()
}

// A run whose context ends in a step or in a validation leaves the state of the last finished step, and resumed it ends
// with the same bytes as an uninterrupted one: weights, optimizer state and the log's losses.
func TestInterruptedInTheMiddle(t *testing.T) {
	t.Parallel()
	c := tiny(train.GFNCP)
	c.Train.Steps = 4
	whole, looks := filepath.Join(t.TempDir(), "whole"), newCountdown(t, 0)
	must.M1(train.Run(looks, goBackend(), sources.Source, c, whole, train.Listener{}))
	states := map[int]string{} // by the steps done
	for step := 1; step <= c.Train.Steps; step++ {
		states[step] = state(stopped(t, c, step))
	}
	for _, place := range lookedFrom {
		var at []int // the looks from there, counted from 1
		for i, from := range looks.from {
			if from == place {
				at = append(at, i+1)
			}
		}
		if len(at) == 0 {
			t.Errorf("%s does not look at the context", place)
			continue
		}
		dir, steps := filepath.Join(t.TempDir(), "run"), 0
		_, err := train.Run(newCountdown(t, at[len(at)*3/4]), goBackend(), sources.Source, c, dir,
			train.Listener{Step: func(r train.StepReport, _ int) { steps = r.Step }})
		if !errors.Is(err, train.ErrInterrupted) || steps == 0 || state(dir) != states[steps] {
			t.Errorf("ended in %s: %v, and a checkpoint that is not that of step %d", place, err, steps)
		}
		finish(t, c, dir)
		endsAs(t, "ended in "+place+", resumed", dir, whole)
	}
}

// hanging is a source that stops to answer: the end of a run's context comes while it draws the batch of a step.
type hanging struct {
	data.Source
	at   int
	hang func()
}

func (h hanging) Batch(seed uint64, step int) (*data.Batch, error) {
	if step == h.at {
		h.hang()
	}
	return h.Source.Batch(seed, step)
}

// A run whose context ends while its data are read or drawn does not wait for them, wherever that is; resumed it ends
// with the same bytes as an uninterrupted one.
func TestInterruptedWhileDataHang(t *testing.T) {
	short.Skip(t, "trains six times")
	t.Parallel()
	c := tiny(train.GFNCP)
	c.Train.Steps = 4
	whole := stopped(t, c, 4)
	for name, at := range map[string]struct {
		opening int    // the opening that hangs, counted from 1
		stream  string // or the stream and
		step    int    // the step whose batch does
	}{
		"before anything is written": {opening: 1},
		"for the validation":         {opening: 2},
		"a validation batch":         {stream: "valid"},
		"the first batch":            {stream: c.Data.Stream},
		"a batch":                    {stream: c.Data.Stream, step: 2},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		never, openings := make(chan struct{}), 0
		hang := func() {
			cancel()
			<-never
		}
		open := func(d data.Config) (data.Source, error) {
			if openings++; openings == at.opening {
				hang()
			}
			source, err := sources.Source(d)
			if at.opening == 0 && d.Stream == at.stream {
				source = hanging{source, at.step, hang}
			}
			return source, err
		}
		dir := filepath.Join(t.TempDir(), "run")
		_, err := train.Run(ctx, goBackend(), open, c, dir, train.Listener{})
		if !errors.Is(err, train.ErrInterrupted) {
			t.Errorf("%s: the run ended with %v", name, err)
		}
		if _, err := os.Stat(dir); at.opening == 1 && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is there (%v)", name, dir, err)
		}
		_, begin, _ := finish(t, c, dir)
		if begin != at.step && begin != at.step-1 { // a batch is drawn while the step before is computed
			t.Errorf("%s: the run went on after step %d, want %d", name, begin, at.step)
		}
		endsAs(t, name+", resumed", dir, whole)
		close(never)
	}
}
