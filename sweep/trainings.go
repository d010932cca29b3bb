package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Trainings makes a sweep of trainings that something else needs, such as a table (Experiment.Untrained): its jobs have
// no evaluations, and no table comes of it. A sweep of this name below root that holds all of them already, from an
// earlier call that asked for more, is opened in its place, so that what it has submitted is known. It returns the jobs
// of runs in either case.
//
// The directories of all runs must have one parent. Program, Backend and Say are left to the caller.
func Trainings(root, name string, scale experiments.Scale, runs []experiments.Run) (*Sweep, []Job, error) {
	if len(runs) == 0 {
		return nil, nil, fmt.Errorf("%s has nothing to train", name)
	}
	plan := &Plan{SchemaVersion: planVersion, Name: name, Title: "The trainings of " + name, Scale: scale}
	parent := filepath.Dir(runs[0].Dir)
	for i, r := range runs {
		if filepath.Dir(r.Dir) != parent {
			return nil, nil, usererr.File(r.Dir, 0, "give the runs one directory", "is not beside %s", runs[0].Dir)
		}
		plan.Jobs = append(plan.Jobs, Job{N: i + 1, Name: r.Name, Run: filepath.Base(r.Dir), Config: r.Config})
	}
	known, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("look for earlier trainings of %s: %w", name, err)
	}
	for _, entry := range known {
		if !strings.HasPrefix(entry.Name(), name+"-"+string(scale)+"-") {
			continue
		}
		s, err := Open(filepath.Join(root, entry.Name()))
		if err != nil {
			continue // no sweep, or one of another version of gfncp: it cannot be gone on with
		}
		if jobs, ok := s.trains(parent, plan.Jobs); ok {
			return s, jobs, nil
		}
	}
	if plan.Hash, err = plan.digest(); err != nil {
		return nil, nil, err
	}
	s, err := New(root, parent, &Spec{Text: []byte("# The trainings of " + name +
		": planned by gfncp, not from a sweep file.\n")}, plan)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Plan.Jobs, nil
}

// trains returns the sweep's own jobs for those asked for; ok is false if it lacks one, or keeps its runs elsewhere.
func (s *Sweep) trains(runs string, asked []Job) (jobs []Job, ok bool) {
	runs, err := filepath.Abs(runs)
	if err != nil || s.RunDir(Job{}) != runs {
		return nil, false
	}
	for _, a := range asked {
		at := slices.IndexFunc(s.Plan.Jobs, func(j Job) bool {
			return j.Run == a.Run && j.Config == a.Config &&
				len(j.Tests) == 0
		})
		if at < 0 {
			return nil, false
		}
		jobs = append(jobs, s.Plan.Jobs[at])
	}
	return jobs, true
}
