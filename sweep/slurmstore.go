package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

// arraysVersion is the "schema_version" of arrays.json. Adding a field keeps it; any other change raises it.
const arraysVersion = 1

// slurmArrays is slurm/arrays.json in a sweep's directory: every job array that was submitted for it.
type slurmArrays struct {
	SchemaVersion int          `json:"schema_version"`
	Options       SlurmOptions `json:"options"` // of the last submission that Slurm took
	Arrays        []slurmArray `json:"arrays"`
}

// slurmArray is a job array. Its task N runs job N. It is written before sbatch is called and again after: Slurm knows the array
// by its name, also when the submitter dies in between.
type slurmArray struct {
	Name      string `json:"name"`         // of the Slurm job: no other has it
	ID        string `json:"id,omitempty"` // that sbatch printed; empty while it runs, and if it failed or was killed
	Jobs      []int  `json:"jobs"`         // Job.N of each task
	Script    string `json:"script"`       // in the sweep's directory
	Submitted string `json:"submitted"`    // RFC 3339
}

func (s *Sweep) arraysPath() string { return s.File("slurm", "arrays.json") }

// readArrays reads the job arrays of a sweep; there are none before the first submission.
func (s *Sweep) readArrays() (slurmArrays, error) {
	known := slurmArrays{SchemaVersion: arraysVersion}
	text, err := os.ReadFile(s.arraysPath())
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err == nil && known.SchemaVersion != arraysVersion {
		err = fmt.Errorf("its version is %d, this gfncp reads %d", known.SchemaVersion, arraysVersion)
	}
	if err != nil {
		return known, fmt.Errorf("read the job arrays of the sweep: %s: %w", s.arraysPath(), err)
	}
	return known, nil
}

// add puts a new array at the end and returns it.
func (a *slurmArrays) add(plan string, jobs []Job, now time.Time) *slurmArray {
	array := slurmArray{Name: "gfncp-" + plan + "-" + strconv.FormatInt(now.UnixNano(), 36), Submitted: now.UTC().Format(time.RFC3339)}
	array.Script = "slurm/" + array.Name + ".sh"
	for _, j := range jobs {
		array.Jobs = append(array.Jobs, j.N)
	}
	a.Arrays = append(a.Arrays, array)
	return &a.Arrays[len(a.Arrays)-1]
}

// names are those of all arrays; an array that Slurm refused, or has forgotten, is in no queue.
func (a *slurmArrays) names() (names []string) {
	for _, array := range a.Arrays {
		names = append(names, array.Name)
	}
	return names
}

// whileSubmitting calls f while no other process submits the sweep.
func (s *Sweep) whileSubmitting(ctx context.Context, f func() error) error {
	if err := os.MkdirAll(s.File("slurm"), 0o755); err != nil {
		return fmt.Errorf("submit the sweep: %w", err)
	}
	lock := flock.New(s.File("slurm", "lock"))
	if _, err := lock.TryLockContext(ctx, lookEvery); err != nil {
		return fmt.Errorf("wait for the process that submits the sweep: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	return f()
}
