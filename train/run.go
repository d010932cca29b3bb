package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/usererr"
)

// ErrInterrupted ends a run whose context was cancelled; its directory holds a checkpoint and can be resumed. The error
// of a run also wraps the error of the context.
var ErrInterrupted = errors.New("interrupted")

// Interrupted returns ErrInterrupted for a context that has ended. It wraps the context's error as well.
func Interrupted(ctx context.Context) error { return interruption{ctx.Err()} }

type interruption struct{ cause error }

func (interruption) Error() string     { return ErrInterrupted.Error() }
func (i interruption) Unwrap() []error { return []error{ErrInterrupted, i.cause} }

// Result is the result of a finished run. It is written to result.json last, so that file means that the run is done.
type Result struct {
	Steps    int     `json:"steps"`
	BestStep int     `json:"best_step"`       // the step of best.safetensors
	BestLoss float64 `json:"validation_loss"` // the lowest
	Seconds  float64 `json:"seconds"`         // spent in optimizer steps, over all sessions
	Backend  string  `json:"backend"`
}

// Listener has functions that a run calls as it proceeds; any field may be nil.
type Listener struct {
	Start func(step, steps int, resumed bool)
	Step  func(r StepReport, steps int)
	Valid func(v Validation)
	Warn  func(err error)
}

// Run trains in dir until the config's last step, on the sets that open gives for it, and returns its result. It
// continues an interrupted run of the same config, to the same bytes, and returns the result of a finished run at once.
// dir/best.safetensors holds the weights with the lowest validation loss.
//
// The end of ctx leaves a checkpoint of the last finished step, if there is one, and returns Interrupted(ctx). A
// read, a batch or a program that cannot be stopped ends in the background: do not finalize backend right after that.
func Run(
	ctx context.Context, backend compute.Backend, open Sources, c Config, dir string, hear Listener,
) (Result, error) {
	sources := func(c data.Config) (data.Source, error) { // reading many photos takes minutes
		return beside.Do(ctx, func() (data.Source, error) { return open(c) })
	}
	r := &run{config: c, dir: dir, hear: hear, backend: backend, sources: sources}
	result, err := r.start(ctx)
	if stop := ctx.Err(); stop != nil && errors.Is(err, stop) && !errors.Is(err, ErrInterrupted) {
		err = Interrupted(ctx)
	}
	return result, err
}

// start does the work of Run. It returns the error of ctx if ctx ends while data are read.
func (r *run) start(ctx context.Context) (Result, error) {
	c, dir := r.config, r.dir
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	done, unfinished := ReadResult(dir)
	if unfinished != nil {
		if stream := c.Data.Stream; stream == "valid" || stream == "test" {
			return Result{}, usererr.New("choose another name",
				"data.stream = %q is the stream of sets on which models are judged", stream)
		}
		if err := c.checkMemory(r.backend); err != nil {
			return Result{}, err
		}
	}
	begun, err := holdsRun(dir, c)
	if err != nil || begun && unfinished == nil {
		return done, err
	}
	if !begun { // a training that cannot begin leaves nothing behind
		if r.trainer, err = New(r.backend, r.sources, c); err != nil {
			return Result{}, err
		}
	}
	lock, err := lockDir(dir)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = lock.Unlock() }()
	if begun, err = holdsRun(dir, c); err != nil { // another process may have begun or finished meanwhile
		return Result{}, err
	}
	if done, err := ReadResult(dir); err == nil {
		return done, nil
	}
	for _, folder := range []string{dir, filepath.Join(dir, checkpointFolder)} {
		atomicfile.RemoveLeftovers(folder, 0) // killed sessions left them: the lock is ours
	}
	if !begun {
		if err := atomicfile.WriteFile(ConfigPath(dir), []byte(c.String())); err != nil {
			return Result{}, err
		}
	}
	defer c.expectMemory(r.backend)()
	return r.train(ctx)
}

type run struct {
	config   Config
	dir      string
	hear     Listener
	backend  compute.Backend
	sources  Sources
	trainer  *Trainer // of a run that begins, before it is opened; else nil until then
	valid    validation
	progress progress
	log      *os.File
}

func (r *run) train(ctx context.Context) (Result, error) {
	if err := r.open(ctx); err != nil {
		return Result{}, err
	}
	defer func() { _ = r.log.Close() }()
	for r.trainer.Step < r.config.Train.Steps || r.progress.Unvalidated {
		err := r.step(ctx)
		if stop := ctx.Err(); stop != nil && errors.Is(err, stop) {
			return Result{}, errors.Join(r.checkpoint(), Interrupted(ctx))
		}
		if err != nil {
			return Result{}, err
		}
	}
	result := Result{
		Steps: r.trainer.Step, BestStep: r.progress.BestStep, BestLoss: r.progress.BestLoss,
		Seconds: r.progress.Seconds, Backend: r.backend.Name(),
	}
	return result, atomicfile.WriteJSON(ResultPath(r.dir), result)
}

// open starts or resumes the trainer and cuts the log back to its step.
func (r *run) open(ctx context.Context) error {
	t, p, skipped, err := resume(r.backend, r.sources, r.config, r.dir)
	if err != nil {
		return err
	}
	for _, damaged := range skipped {
		r.warn(fmt.Errorf("passed over a checkpoint: %w", damaged))
	}
	if t != nil {
		r.trainer, r.progress = t, p
	} else if r.trainer == nil {
		if r.trainer, err = New(r.backend, r.sources, r.config); err != nil {
			return err
		}
	}
	if err := r.checkBest(); err != nil {
		return err
	}
	if r.valid, err = newValidation(ctx, r.trainer, r.sources); err != nil {
		return err
	}
	if r.log, err = openMetrics(LogPath(r.dir), r.progress); err != nil {
		return err
	}
	if r.hear.Start != nil {
		r.hear.Start(r.trainer.Step, r.config.Train.Steps, t != nil)
	}
	return nil
}

// checkBest looks for the best weights that the progress names. If they are lost, the best weights of the following
// validations take their place, or after the last step the weights of that step.
func (r *run) checkBest() error {
	if err := os.Remove(ResultPath(r.dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the result of a run that is not finished: %w", err)
	}
	if r.progress.BestStep == 0 {
		return nil
	}
	if err := checkFile(BestPath(r.dir)); err != nil {
		r.warn(fmt.Errorf("the best weights, of step %d, are lost, so the best of what follows are taken: %w",
			r.progress.BestStep, err))
		r.progress.BestStep = 0
		r.progress.Unvalidated = r.progress.Unvalidated || r.trainer.Step == r.config.Train.Steps
	}
	return nil
}

func (r *run) warn(err error) {
	if r.hear.Warn != nil {
		r.hear.Warn(err)
	}
}

// step takes one optimizer step, logs it, and validates and writes a checkpoint if they are due. The end of ctx ends it
// before the optimizer step or, with progress.Unvalidated, before the validation.
func (r *run) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !r.progress.Unvalidated {
		if err := r.advance(ctx); err != nil {
			return err
		}
	}
	last := r.trainer.Step == r.config.Train.Steps
	if last || r.trainer.Step%r.config.Train.ValidEvery == 0 {
		r.progress.Unvalidated = true
		if err := r.validate(ctx); err != nil {
			return err
		}
		r.progress.Unvalidated = false
	}
	if every := r.config.Train.KeepEvery; every > 0 && r.trainer.Step%every == 0 {
		if err := r.keep(); err != nil {
			return err
		}
	}
	if last || r.trainer.Step%r.config.Train.CheckpointEvery == 0 {
		return r.checkpoint()
	}
	return nil
}

func (r *run) advance(ctx context.Context) error {
	start := time.Now()
	report, err := r.trainer.advance(ctx)
	if err != nil {
		return err
	}
	report.Seconds = time.Since(start).Seconds()
	r.progress.Seconds += report.Seconds
	if err := r.note(report); err != nil {
		return err
	}
	if r.hear.Step != nil {
		r.hear.Step(report, r.config.Train.Steps)
	}
	return nil
}

// note appends a StepReport or a Validation to the log.
func (r *run) note(line any) error {
	if err := json.NewEncoder(r.log).Encode(line); err != nil {
		return fmt.Errorf("write the metrics log: %w", err)
	}
	return nil
}

func (r *run) checkpoint() error {
	r.progress.Step = r.trainer.Step
	return r.trainer.writeCheckpoint(r.dir, r.progress)
}

// validate scores the current weights and keeps them when they are the best so far.
func (r *run) validate(ctx context.Context) error {
	v, err := r.valid.score(ctx, r.trainer)
	if err != nil {
		return fmt.Errorf("validation at step %d: %w", r.trainer.Step, err)
	}
	v.Best = r.progress.BestStep == 0 || v.Loss < r.progress.BestLoss
	if r.hear.Valid != nil {
		r.hear.Valid(v)
	}
	if err := r.note(v); err != nil || !v.Best {
		return err
	}
	r.progress.BestStep, r.progress.BestLoss = r.trainer.Step, v.Loss
	return r.write(BestPath(r.dir), Card{Selected: "lowest validation loss", Loss: v.Loss})
}

func (r *run) keep() error {
	path := stepPath(r.dir, keptFolder, r.trainer.Step)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return r.write(path, Card{Selected: fmt.Sprintf("step %d", r.trainer.Step)})
}

func (r *run) write(path string, card Card) error {
	weights, err := r.trainer.Weights()
	if err != nil {
		return err
	}
	card.Steps, card.Seconds, card.Backend = r.trainer.Step, r.progress.Seconds, r.backend.Name()
	return WriteModel(path, &Model{Config: r.config, Params: weights, Card: card})
}
