package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/atomicfile"
)

// State reads how far a job is. Queued it cannot know: that is the executor's (Executor.Active).
func (s *Sweep) State(j Job) (State, error) {
	state, done, err := s.recorded(j)
	if done || err != nil {
		return state, err
	}
	held, err := s.held(j)
	if err != nil {
		return state, err
	}
	state.Step = lastStep(filepath.Join(s.RunDir(j), "metrics.jsonl"))
	switch {
	case held:
		state.Status = Running
	case state.Status == Done: // its results have been removed since
		state.Status = Planned
	case state.Status == Running: // it died
		state.Status = Interrupted
	}
	return state, nil
}

// recorded reads what a job's last attempt wrote, or a State that is Planned. A training is done when its run directory
// holds its results, a command when its state says so.
func (s *Sweep) recorded(j Job) (state State, done bool, err error) {
	state = State{Status: Planned}
	if _, err := s.Read(&state, "state", j.Run+".json"); err != nil {
		return state, false, err
	}
	if j.Command != nil {
		return state, state.Status == Done, nil
	}
	tested, done, err := experiments.ReadTested(s.RunDir(j), j.Tests)
	if done {
		state.Status, state.Error, state.Step = Done, "", tested.Result.Steps
	}
	return state, done, err
}

// States returns the states of all jobs of the plan, in its order, with what the executor knows of them.
func (s *Sweep) States(ctx context.Context, by Executor) ([]State, error) {
	active, err := by.Active(ctx, s)
	if err != nil {
		return nil, err
	}
	var states []State
	for _, j := range s.Plan.Jobs {
		state, err := s.State(j)
		if err != nil {
			return nil, err
		}
		if status, ok := active[j.N]; ok && state.Status != Done && state.Status != Running {
			state.Status = status
		}
		states = append(states, state)
	}
	return states, nil
}

// Left returns the jobs that a call of an executor is to run: those that are neither done nor failed, and the failed
// ones that later jobs need.
func (s *Sweep) Left(ctx context.Context, by Executor) ([]Job, error) {
	return s.chosen(ctx, by, func(j Job, status Status) bool {
		return status != Done && (status != Failed || j.Command != nil && j.Command.Needed)
	})
}

// Jobs returns the jobs of the plan in one of the given states.
func (s *Sweep) Jobs(ctx context.Context, by Executor, in ...Status) ([]Job, error) {
	return s.chosen(ctx, by, func(_ Job, status Status) bool { return slices.Contains(in, status) })
}

func (s *Sweep) chosen(ctx context.Context, by Executor, wanted func(Job, Status) bool) (jobs []Job, err error) {
	states, err := s.States(ctx, by)
	if err != nil {
		return nil, err
	}
	for i, j := range s.Plan.Jobs {
		if wanted(j, states[i].Status) {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// held reports whether a process runs a job. Looking takes a shared lock for a moment, for which a worker that starts
// just then waits.
func (s *Sweep) held(j Job) (bool, error) {
	lock := flock.New(s.lockPath(j))
	free, err := lock.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the lock of job %d: %w", j.N, err)
	}
	if !free {
		return true, nil
	}
	return false, lock.Unlock()
}

func (s *Sweep) lockPath(j Job) string { return s.File("locks", j.Run) }

func (s *Sweep) writeState(j Job, state State) error {
	return atomicfile.WriteJSON(s.File("state", j.Run+".json"), state)
}

// lastStep is the step of the last whole line of a training's log, 0 without one.
func lastStep(path string) int {
	const tail = 4096 // bytes; a line has a few hundred
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	size, _ := f.Seek(0, io.SeekEnd)
	text, _ := io.ReadAll(io.NewSectionReader(f, max(0, size-tail), tail))
	var last struct {
		Step int `json:"step"`
	}
	for line := range bytes.Lines(text) {
		_ = json.Unmarshal(line, &last) // a line that is cut off leaves the one before
	}
	return last.Step
}
