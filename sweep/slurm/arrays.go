package slurm

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/gfncp/gfncp/sweep"
)

// arraysVersion is the "schema_version" of arrays.json. Adding a field keeps it; any other change raises it.
const arraysVersion = 1

// record is slurm/arrays.json in a sweep's directory: every job array that was submitted for it.
type record struct {
	SchemaVersion int     `json:"schema_version"`
	Options       Request `json:"options"` // of the last submission that Slurm took
	Arrays        []array `json:"arrays"`
}

// array is a job array. Its task N runs job N. It is written before sbatch is called and again after: Slurm knows the
// array by its name, also when the submitter dies in between.
type array struct {
	Name      string `json:"name"`         // of the Slurm job: no other has it
	ID        string `json:"id,omitempty"` // that sbatch printed; empty while it runs, and if it failed or was killed
	Jobs      []int  `json:"jobs"`         // Job.N of each task
	Script    string `json:"script"`       // in the sweep's directory
	Submitted string `json:"submitted"`    // RFC 3339
}

func arraysPath(s *sweep.Sweep) string { return s.File("slurm", "arrays.json") }

// readArrays reads the job arrays of a sweep; there are none before the first submission.
func readArrays(s *sweep.Sweep) (record, error) {
	known := record{SchemaVersion: arraysVersion}
	_, err := s.Read(&known, "slurm", "arrays.json")
	if err == nil && known.SchemaVersion != arraysVersion {
		err = fmt.Errorf("%s: its version is %d, this gfncp reads %d", arraysPath(s), known.SchemaVersion, arraysVersion)
	}
	if err != nil {
		return known, fmt.Errorf("read the job arrays of the sweep: %w", err)
	}
	return known, nil
}

// add puts a new array at the end and returns it.
func (r *record) add(plan string, jobs []sweep.Job, now time.Time) *array {
	one := array{
		Name:      "gfncp-" + plan + "-" + strconv.FormatInt(now.UnixNano(), 36),
		Submitted: now.UTC().Format(time.RFC3339),
	}
	one.Script = "slurm/" + one.Name + ".sh"
	for _, j := range jobs {
		one.Jobs = append(one.Jobs, j.N)
	}
	r.Arrays = append(r.Arrays, one)
	return &r.Arrays[len(r.Arrays)-1]
}

// names are those of all arrays; an array that Slurm refused, or has forgotten, is in no queue.
func (r *record) names() (names []string) {
	for _, a := range r.Arrays {
		names = append(names, a.Name)
	}
	return names
}

// whileSubmitting calls f while no other process submits the sweep.
func whileSubmitting(ctx context.Context, s *sweep.Sweep, f func() error) error {
	if err := os.MkdirAll(s.File("slurm"), 0o755); err != nil {
		return fmt.Errorf("submit the sweep: %w", err)
	}
	lock := flock.New(s.File("slurm", "lock"))
	if _, err := lock.TryLockContext(ctx, 200*time.Millisecond); err != nil {
		return fmt.Errorf("wait for the process that submits the sweep: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	return f()
}
