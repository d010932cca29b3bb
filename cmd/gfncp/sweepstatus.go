package main

import (
	"bytes"
	"fmt"
	"io"
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
	return show(c, plan, func(b *bytes.Buffer) { writePlan(b, plan, filepath.Join(c.String("sweeps"), plan.Directory())) })
}

func writePlan(b *bytes.Buffer, plan *sweep.Plan, dir string) {
	if len(plan.Settings) == 0 {
		fmt.Fprintf(b, "%s: %d jobs; in %s\n", plan.Name, len(plan.Jobs), dir)
	} else {
		fmt.Fprintf(b, "%s at scale %s: %d settings under seeds %v are %d jobs; in %s\n", plan.Name, plan.Scale,
			len(plan.Settings), plan.Seeds, len(plan.Jobs), dir)
	}
	if plan.Question != "" {
		fmt.Fprintln(b, plan.Question)
	}
	if len(plan.Set) > 0 {
		fmt.Fprintf(b, "for all: %s\n", strings.Join(plan.Set, ", "))
	}
	aligned(b, func(w io.Writer) {
		fmt.Fprintln(w, "\nJOB\tSETTING\tSTEPS\tTESTS\tRUN")
		for _, j := range plan.Jobs {
			if j.Command != nil {
				fmt.Fprintf(w, "%d\t%s\t-\t-\t%s\n", j.N, j.Name, j.Command.Line)
				continue
			}
			fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%s\n", j.N, j.Name, j.Config.Train.Steps, len(j.Tests), j.Run)
		}
	})
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
	Executor      string               `json:"executor"`
	Cancelled     bool                 `json:"cancelled"`
	Counts        map[sweep.Status]int `json:"counts"`
	Jobs          []jobStatus          `json:"jobs"`
}

// sweepStatus prints how far each job of a sweep is.
func sweepStatus(c *cli.Context, s *sweep.Sweep) error {
	by, err := submitter(s)
	if err != nil {
		return err
	}
	return showStates(c, s, by)
}

// showStates prints how far each job is.
func showStates(c *cli.Context, s *sweep.Sweep, by sweep.Executor) error {
	states, err := s.States(c.Context, by)
	if err != nil {
		return err
	}
	r := sweepReport{
		SchemaVersion: 1, Name: s.Plan.Name, Dir: s.Dir, Executor: by.Name(), Cancelled: s.Cancelled(),
		Counts: map[sweep.Status]int{},
	}
	for i, j := range s.Plan.Jobs {
		r.Counts[states[i].Status]++
		r.Jobs = append(r.Jobs, jobStatus{j.N, j.Name, j.Run, j.Config.Train.Steps, s.Log(j), states[i]})
	}
	return show(c, r, func(b *bytes.Buffer) { writeStatus(b, r) })
}

func writeStatus(b *bytes.Buffer, r sweepReport) {
	var counts []string
	for _, status := range []sweep.Status{
		sweep.Done, sweep.Running, sweep.Queued, sweep.Interrupted, sweep.Failed, sweep.Planned,
	} {
		if n := r.Counts[status]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, status))
		}
	}
	fmt.Fprintf(b, "%s: %s of %d jobs (%s)\n", r.Name, strings.Join(counts, ", "), len(r.Jobs), r.Executor)
	if r.Cancelled {
		fmt.Fprintln(b, "cancelled; gfncp sweep resume goes on")
	}
	aligned(b, func(w io.Writer) {
		fmt.Fprintln(w, "\nJOB\tSETTING\tSTATUS\tSTEP\tATTEMPTS\tHOST\tNOTE")
		for _, j := range r.Jobs {
			note, _, _ := strings.Cut(j.Error, "\n")
			if j.Status == sweep.Failed {
				note += "; log " + j.Log
			}
			step := fmt.Sprintf("%d/%d", j.Step, j.Steps)
			if j.Steps == 0 { // a command
				step = "-"
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", j.N, j.Name, j.Status, step, j.Attempts, j.Host, note)
		}
	})
}

// sweepCancel stops a sweep's workers.
func sweepCancel(c *cli.Context, s *sweep.Sweep) error {
	by, err := submitter(s)
	if err != nil {
		return err
	}
	if err := s.Cancel(c.Context, by); err != nil {
		return err
	}
	say(c, "cancelled; gfncp sweep resume %s goes on", s.Dir)
	return nil
}
