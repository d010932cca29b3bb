package sweep

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Sweep is a planned sweep with the directory that holds all that is known of it:
//
//	plan.json       the jobs, resolved; it never changes
//	sweep.toml      the file it was planned from
//	submitted.json  the last command that ran it
//	state/RUN.json  what a job's last attempt said; locks/RUN is held while one lasts
//	logs/RUN.log    what its workers printed
//	cancelled       there while workers are to stop
//
// RUN is Job.Run. The trainings themselves lie in the directory of all runs, where other sweeps and `gfncp reproduce`
// find them.
type Sweep struct {
	Dir     string // absolute
	Plan    *Plan
	Program []string                         // the command line that starts gfncp, without its arguments
	Backend string                           // that workers compute on, as --backend takes it
	Say     func(format string, args ...any) // narration; may be nil
	Ended   func()                           // hears that a worker has ended; may be nil, and not every executor calls it

	unsaved *Spec // what it was planned from, until Save
}

// Job returns a job by its number.
func (s *Sweep) Job(n int) (Job, error) {
	if n < 1 || n > len(s.Plan.Jobs) {
		return Job{}, usererr.New(fmt.Sprintf("choose 1..%d", len(s.Plan.Jobs)), "%s has no job %d", s.Plan.Name, n)
	}
	return s.Plan.Jobs[n-1], nil
}

// Worker is the command line of the process that runs a job, program first; the job's number is its last word.
func (s *Sweep) Worker(j Job) []string {
	return append(append([]string{}, s.Program...), "sweep", "work", s.Dir, "--backend", s.Backend, "--job",
		strconv.Itoa(j.N))
}

// File is a path in the sweep's directory.
func (s *Sweep) File(name ...string) string {
	return filepath.Join(append([]string{s.Dir}, name...)...)
}

// Log is the file that a job's workers append what they print to.
func (s *Sweep) Log(j Job) string { return s.File("logs", j.Run+".log") }

// RunDir is the directory of a job's training.
func (s *Sweep) RunDir(j Job) string {
	if filepath.IsAbs(s.Plan.Runs) {
		return filepath.Join(s.Plan.Runs, j.Run)
	}
	return s.File(filepath.FromSlash(s.Plan.Runs), j.Run)
}

// Narrate calls Say, if there is one.
func (s *Sweep) Narrate(format string, args ...any) {
	if s.Say != nil {
		s.Say(format, args...)
	}
}
