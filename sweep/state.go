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
	state, err := s.readState(j)
	if err != nil {
		return state, err
	}
	tested, done, err := s.reached(j, state)
	if err != nil {
		return state, err
	}
	if done {
		state.Status, state.Error, state.Step = Done, "", tested.Result.Steps
		return state, nil
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

// reached returns what a training's run directory holds, and whether a job is done. A command leaves its state alone.
func (s *Sweep) reached(j Job, state State) (tested experiments.Tested, done bool, err error) {
	if j.Command != nil {
		return tested, state.Status == Done, nil
	}
	return experiments.ReadTested(s.RunDir(j), j.Tests)
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
	states, err := s.States(ctx, by)
	if err != nil {
		return nil, err
	}
	var jobs []Job
	for i, j := range s.Plan.Jobs {
		failed := states[i].Status == Failed
		if failed && j.Command != nil && j.Command.Needed || !failed && states[i].Status != Done {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// Jobs returns the jobs of the plan in one of the given states.
func (s *Sweep) Jobs(ctx context.Context, by Executor, in ...Status) ([]Job, error) {
	states, err := s.States(ctx, by)
	if err != nil {
		return nil, err
	}
	var jobs []Job
	for i, j := range s.Plan.Jobs {
		if slices.Contains(in, states[i].Status) {
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

func (s *Sweep) statePath(j Job) string { return s.File("state", j.Run+".json") }

// readState reads what a job's last attempt wrote, or a State that is Planned.
func (s *Sweep) readState(j Job) (State, error) {
	state := State{Status: Planned}
	text, err := os.ReadFile(s.statePath(j))
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return state, fmt.Errorf("read the state of job %d: %w", j.N, err)
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return state, fmt.Errorf("read %s: %w", s.statePath(j), err)
	}
	return state, nil
}

func (s *Sweep) writeState(j Job, state State) error {
	return atomicfile.WriteJSON(s.statePath(j), state)
}

// lastStep is the step of the last whole line of a training's log, 0 without one.
func lastStep(path string) int {
	const tail = 4096 // bytes; a line has a few hundred
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	if end, err := f.Seek(0, io.SeekEnd); err != nil || end > tail {
		_, _ = f.Seek(-tail, io.SeekEnd)
	} else {
		_, _ = f.Seek(0, io.SeekStart)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return 0
	}
	step := 0
	for line := range bytes.Lines(text) {
		var at struct {
			Step int `json:"step"`
		}
		if json.Unmarshal(line, &at) == nil {
			step = at.Step
		}
	}
	return step
}
