package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// plannedRun is a training of a plan in JSON output.
type plannedRun struct {
	Place int     `json:"place"`
	Name  string  `json:"name"`
	Dir   string  `json:"dir"`
	Step  int     `json:"step"`
	Steps int     `json:"steps"`
	Batch int     `json:"batch"`
	NMin  int     `json:"n_min"`
	NMax  int     `json:"n_max"`
	Hours float64 `json:"hours,omitempty"`
	By    string  `json:"by,omitempty"` // whose training the hours are estimated by
}

// queued are the trainings that experiments lack, in order of worth.
func queued(c *cli.Context, chosen []experiments.Experiment, lab *experiments.Lab) ([]experiments.Planned, error) {
	runs, err := untrained(c, chosen, lab)
	if err == nil {
		runs, err = experiments.Queue(runs)
	}
	return lab.Plan(runs), err
}

// showPlan prints the trainings that experiments lack.
func showPlan(c *cli.Context, chosen []experiments.Experiment, lab *experiments.Lab) error {
	planned, err := queued(c, chosen, lab)
	if err != nil {
		return err
	}
	result := struct {
		SchemaVersion int          `json:"schema_version"`
		Scale         string       `json:"scale"`
		Hours         float64      `json:"hours"`
		Unknown       int          `json:"unknown"` // trainings that are not among the hours
		Trainings     []plannedRun `json:"trainings"`
	}{1, string(lab.Scale), 0, 0, []plannedRun{}}
	for i, p := range planned {
		d := p.Config.Data
		result.Hours += p.Hours
		if p.Rate == "" {
			result.Unknown++
		}
		result.Trainings = append(result.Trainings, plannedRun{
			i + 1, p.Name, p.Dir, p.Step, p.Config.Train.Steps, d.Batch, d.NMin, d.NMax, p.Hours, p.Rate,
		})
	}
	return show(c, result, "plan", result)
}

// trainQueued does the trainings that experiments lack, one after another, until there are none left or the hour of
// --until has come. A training that fails does not keep the others from being done.
func trainQueued(c *cli.Context, chosen []experiments.Experiment, lab *experiments.Lab) (failed error) {
	planned, err := queued(c, chosen, lab)
	if err != nil {
		return err
	}
	ctx, end, err := untilHour(c)
	if err != nil {
		return err
	}
	defer end()
	for i, p := range planned {
		say(c, "%d of %d: %s, %s", i+1, len(planned), p.Name, p.Dir)
		switch err := lab.Do(ctx, p.Run); {
		case err == nil:
		case errors.Is(err, train.ErrInterrupted) && errors.Is(ctx.Err(), context.DeadlineExceeded):
			say(c, "it is %s: %s is interrupted; the same command goes on", c.String("until"), p.Name)
			return failed
		case errors.Is(err, train.ErrInterrupted):
			return fmt.Errorf("%w; the same command goes on", err)
		default:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.Name, err))
		}
	}
	return failed
}

// untilHour is the command's context, which ends at the next HH:MM of --until.
func untilHour(c *cli.Context) (context.Context, context.CancelFunc, error) {
	if c.String("until") == "" {
		return c.Context, func() {}, nil
	}
	end, err := nextHour(c.String("until"), time.Now())
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithDeadline(c.Context, end)
	return ctx, cancel, nil
}

// nextHour is the next time after now that a clock shows HH:MM.
func nextHour(clock string, now time.Time) (time.Time, error) {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return at, usererr.New("give a time of day such as 06:30", "--until %q is no time of day", clock)
	}
	next := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
	if !next.After(now) {
		next = next.AddDate(0, 0, 1)
	}
	return next, nil
}
