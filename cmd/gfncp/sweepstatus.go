package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/sweep"
)

// sweepPlan prints what a sweep file would run.
func sweepPlan(c *cli.Context) error {
	path := c.Args().First()
	_, plan, err := plannedSweep(c, path)
	if err != nil {
		return err
	}
	dir := filepath.Join(c.String("sweeps"), plan.Directory())
	return show(c, plan, "sweep plan", map[string]any{"Plan": plan, "Dir": dir})
}

// jobStatus is a job with its state, for JSON output.
type jobStatus struct {
	N     int    `json:"n"`
	Name  string `json:"name"`
	Run   string `json:"run"`
	Steps int    `json:"steps"`
	Log   string `json:"log"`
	sweep.State
}

// sweepReport is the JSON of gfncp sweep status.
type sweepReport struct {
	SchemaVersion int                  `json:"schema_version"`
	Name          string               `json:"name"`
	Dir           string               `json:"dir"`
	Counts        map[sweep.Status]int `json:"counts"`
	Jobs          []jobStatus          `json:"jobs"`
}

// ofStates is a command that shows how far the jobs of a known sweep are.
func ofStates(show func(*cli.Context, *sweep.Sweep, []sweep.State) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		s, err := knownSweep(c)
		if err != nil {
			return err
		}
		states, err := s.States()
		if err != nil {
			return err
		}
		return show(c, s, states)
	}
}

// showStates prints how far each job is.
func showStates(c *cli.Context, s *sweep.Sweep, states []sweep.State) error {
	r := sweepReport{SchemaVersion: 2, Name: s.Plan.Name, Dir: s.Dir, Counts: map[sweep.Status]int{}}
	for i, j := range s.Plan.Jobs {
		r.Counts[states[i].Status]++
		state := states[i]
		state.Tested = nil // results prints it
		r.Jobs = append(r.Jobs, jobStatus{j.N, j.Name, j.Run, j.Config.Train.Steps, s.Log(j), state})
	}
	return show(c, r, "sweep status", r)
}

// Counted lists how many jobs are in each status.
func (r sweepReport) Counted() string {
	var counts []string
	for _, status := range []sweep.Status{sweep.Done, sweep.Running, sweep.Interrupted, sweep.Failed, sweep.Planned} {
		if n := r.Counts[status]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(counts, ", ")
}

// Note says what went wrong with a job, in one line.
func (j jobStatus) Note() string {
	note, _, _ := strings.Cut(j.Error, "\n")
	if j.Status == sweep.Failed {
		note += "; log " + j.Log
	}
	return note
}
