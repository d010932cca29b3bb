package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

func sweepCommand() *cli.Command {
	const look, results = "seeds runs sweeps ", "out json quiet "
	return &cli.Command{
		Name: "sweep", Action: sweepRun,
		Flags: flags(scaleFlag(), look+"jobs threads slurm "+results+"backend data-dir"),
		Subcommands: []*cli.Command{
			{Name: "plan", Flags: flags(scaleFlag(), look+"json"), Action: sweepPlan},
			{Name: "status", Flags: flags(scaleFlag(), look+"json"), Action: ofStates(showStates)},
			{Name: "results", Flags: flags(scaleFlag(), look+results), Action: ofStates(showResults)},
			{
				Name: "work", Flags: flags("job backend data-dir"), Action: sweepWork, Hidden: true,
			},
		},
	}
}

func workersOf(c *cli.Context) (sweep.Workers, error) {
	w := sweep.Workers{Backend: c.String("backend"), Jobs: c.Int("jobs"), Threads: c.Int("threads")}
	for _, flag := range []string{"jobs", "threads"} {
		if c.IsSet(flag) && c.Bool("slurm") {
			return w, usererr.New("give sbatch its own options", "--%s has no effect with --slurm", flag)
		}
	}
	program, err := os.Executable()
	w.Program = []string{program}
	return w, errors.Join(err, w.Divide())
}

// plannedSweep reads the sweep file that is the argument, and plans it as the flags say.
func plannedSweep(c *cli.Context) (*sweep.Spec, *sweep.Plan, error) {
	scale, err := experiments.ParseScale(c.String("scale"))
	if err != nil {
		return nil, nil, err
	}
	spec, err := sweep.ReadSpec(c.Args().First())
	if err != nil {
		return nil, nil, err
	}
	if c.IsSet("seeds") {
		spec.Seeds = nil
	}
	bases := func(model, data, start string) (sweep.Base, error) { return scale.Cell(model, data, start) }
	plan, err := spec.Plan(string(scale), cmp.Or(c.Int("seeds"), scale.Seeds()), bases)
	return spec, plan, err
}

func sweepDir(c *cli.Context, plan *sweep.Plan) string {
	return filepath.Join(c.String("sweeps"), plan.Directory())
}

// sweepRun runs the jobs of a sweep that are not done, and shows the results.
func sweepRun(c *cli.Context) error {
	workers, err := workersOf(c) // before anything is written
	if err != nil {
		return err
	}
	spec, plan, err := plannedSweep(c)
	if err != nil {
		return err
	}
	if err := makeDir(resultDir(c, plan)); err != nil {
		return err
	}
	s, err := sweep.New(c.String("sweeps"), c.String("runs"), spec.Text, plan)
	if err != nil {
		return err
	}
	states, err := runJobs(c, s, workers)
	if err != nil || c.Bool("slurm") {
		return err
	}
	if err := showResults(c, s, states); err != nil {
		return err
	}
	return verdict(states)
}

// runJobs runs the jobs that are not done, and returns the states of all. If the user ends it, the error says how to go
// on. With --slurm it prints the path of a batch script that runs them, and returns no states.
func runJobs(c *cli.Context, s *sweep.Sweep, workers sweep.Workers) ([]sweep.State, error) {
	s.Say = saying(c)
	var left []sweep.Job
	states, err := s.States()
	if err != nil {
		return nil, err
	}
	for i, j := range s.Plan.Jobs {
		if states[i].Status != sweep.Done {
			left = append(left, j)
		}
	}
	if c.Bool("slurm") {
		path, err := s.Script(workers, left)
		if err == nil {
			_, err = fmt.Fprintln(c.App.Writer, path)
		}
		return nil, err
	}
	say(c, "sweep %s: %d jobs, %d to run, in %s", s.Plan.Name, len(s.Plan.Jobs), len(left), s.Dir)
	err = s.Run(c.Context, workers, left)
	switch {
	case err != nil && c.Context.Err() != nil:
		return nil, fmt.Errorf("%s: %w; the same command continues it", s.Plan.Name, train.ErrInterrupted)
	case err != nil:
		return nil, err
	}
	return s.States()
}

// verdict is nil when every job is done, else an error that counts the others.
func verdict(states []sweep.State) error {
	count := map[sweep.Status]int{}
	for _, state := range states {
		count[state.Status]++
	}
	var faults []error
	if n := count[sweep.Failed]; n > 0 {
		faults = append(faults, fmt.Errorf("%d of %d jobs failed; gfncp sweep status says why, and "+
			"the same command tries them again: %w", n, len(states), errPartly))
	}
	if n := len(states) - count[sweep.Done] - count[sweep.Failed]; n > 0 {
		faults = append(faults, fmt.Errorf("%d of %d jobs are not done; the same command continues: %w",
			n, len(states), sweep.ErrLater))
	}
	return errors.Join(faults...)
}

func resultDir(c *cli.Context, plan *sweep.Plan) string {
	return cmp.Or(c.String("out"), filepath.Join("results", plan.Scale))
}

// showResults prints the table of the jobs' states, and writes it with its figure.
func showResults(c *cli.Context, s *sweep.Sweep, states []sweep.State) error {
	out := resultDir(c, s.Plan)
	if err := makeDir(out); err != nil {
		return err
	}
	results := s.Results(states, provenance())
	if err := results.Write(out); err != nil {
		return err
	}
	err := printTable(c, results)
	say(c, "written: %s.%s", filepath.Join(out, results.ID), table.TableFiles())
	return err
}

func sweepPlan(c *cli.Context) error {
	_, plan, err := plannedSweep(c)
	if err != nil {
		return err
	}
	return show(c, plan, "sweep plan", map[string]any{"Plan": plan, "Dir": sweepDir(c, plan)})
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

// ofStates is a command that shows how far the jobs of a begun sweep are.
func ofStates(show func(*cli.Context, *sweep.Sweep, []sweep.State) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		_, plan, err := plannedSweep(c)
		if err != nil {
			return err
		}
		s, err := sweep.Open(sweepDir(c, plan))
		if path := c.Args().First(); errors.Is(err, fs.ErrNotExist) {
			return usererr.File(path, 0,
				"begin it with `gfncp sweep "+path+"`, or give the flags of the command that did",
				"has not been run as this sweep (no %s)", sweepDir(c, plan))
		}
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

// sweepWork is a worker: it runs one job of a sweep (sweep.Sweep.Run and Script start it).
func sweepWork(c *cli.Context) error {
	s, err := sweep.Open(c.Args().First())
	if err != nil {
		return err
	}
	job, err := s.Job(c.Int("job"))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, sweep.StopSignals...)
	defer stop()
	say(c, "%s: job %d of sweep %s, %s, in %s", time.Now().UTC().Format(time.RFC3339), job.N, s.Plan.Name, job.Name,
		s.RunDir(job))
	backend, name, err := openBackend(c)
	if err != nil {
		return err
	}
	lab := &experiments.Lab{
		Backend: backend, BackendName: name, Hear: func(string) train.Listener { return progress(c, "") },
		Say: saying(c),
	}
	if err := s.Work(ctx, job, lab.TrainAndTest); err != nil {
		return fmt.Errorf("job %d: %w", job.N, err)
	}
	say(c, "job %d is done", job.N)
	return nil
}
