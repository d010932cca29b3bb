package slurm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

// patience bounds one call of a Slurm command; a busy controller takes its time.
const patience = 2 * time.Minute

// command runs a Slurm command and returns what it printed. Its own messages become the error.
func command(ctx context.Context, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), changesSlurm)
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", noSlurm(name, err)
	case err != nil:
		return "", &failure{name, message(name, faults.String()), err}
	}
	return out.String(), nil
}

func noSlurm(program string, err error) error {
	return &usererr.Error{
		Msg: "there is no Slurm on this machine (no program " + program + ")",
		Hint: "submit from a login node of the cluster; Debian's packages are slurm-client for that, " +
			"slurm-wlm and munge for a cluster",
		Err: err,
	}
}

// changesSlurm reports whether a variable of the environment would change what the commands here say or do. The
// defaults that users set for sbatch, such as SBATCH_ACCOUNT, are left alone.
func changesSlurm(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	switch name {
	case "SBATCH_ARRAY_INX", "SBATCH_JOB_NAME", "SBATCH_OUTPUT", "SBATCH_OPEN_MODE",
		"SBATCH_REQUEUE", "SBATCH_NO_REQUEUE",
		"SBATCH_SIGNAL", "SBATCH_WAIT", "SBATCH_TEST_ONLY":
		return true
	}
	return strings.HasPrefix(name, "SQUEUE_") || strings.HasPrefix(name, "SCANCEL_")
}

type failure struct {
	program string
	message string // its own, in one line
	err     error
}

func (e *failure) Error() string {
	return e.program + ": " + cmp.Or(e.message, e.err.Error())
}

func (e *failure) Unwrap() error { return e.err }

// message strips what a Slurm command prints to its messages.
func message(program, text string) string {
	var messages []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{program + ": ", "error: ", "fatal: ", "Batch job submission failed: "} {
			line = strings.TrimPrefix(line, prefix)
		}
		if line != "" && !slices.Contains(messages, line) {
			messages = append(messages, line)
		}
	}
	return strings.Join(messages, "; ")
}

// remedies are for what sbatch says of a submission that it refuses, and what every command says without a controller.
var remedies = []struct{ says, hint string }{
	{"artition", "choose one of `sinfo -s` with --partition"},
	{"account", "give yours with --account; `sacctmgr show associations user=$USER` lists them"},
	{"time limit", "give a shorter --time; `sinfo -o '%P %l'` shows the limits"},
	{"--time", "write it as minutes, 2:00:00 or 1-12"},
	{"gres", "give --gpus as the cluster names them: `sinfo -o '%P %G'`"},
	{
		"array specification",
		"the cluster allows no job numbers that high (MaxArraySize of `scontrol show config`): split the sweep",
	},
	{"Memory", "ask for less --memory; `sinfo -o '%P %m'` shows the nodes'"},
	{
		"onfiguration is not available",
		"ask for less --cpus, --memory or --gpus; `sinfo -o '%P %c %m %G'` shows the nodes'",
	},
	{"feature", "`sinfo -o '%P %f'` shows the features that --sbatch --constraint may name"},
	{"controller", "see whether `sinfo` answers; the cluster's controller may be down"},
	{"configuration source", "submit from a machine of the cluster: here Slurm is not configured"},
	{"onfiguration file", "submit from a machine of the cluster: here Slurm is not configured"},
}

// advised makes a failed Slurm command, which was to do what the caller says, a fault of the user's with its remedy.
func advised(what string, err error) error {
	var fault *failure
	if !errors.As(err, &fault) {
		return err
	}
	hint := "see `man " + fault.program + "`, and the script with --dry-run"
	for _, r := range remedies {
		if strings.Contains(fault.message, r.says) {
			hint = r.hint
			break
		}
	}
	return &usererr.Error{Msg: what + ": " + fault.Error(), Hint: hint, Err: err}
}

// task is a task of a job array in the queue.
type task struct {
	array  string // its ID
	job    int    // its number, which is Job.N
	status sweep.Status
	reason string // why it waits
}

// queue lists the tasks that wait or run; an array that Slurm refused, or has forgotten, has none.
func (x *Executor) queue(ctx context.Context, known record) ([]task, error) {
	if len(known.Arrays) == 0 {
		return nil, nil
	}
	var names []string
	for _, a := range known.Arrays {
		names = append(names, a.Name)
	}
	if err := x.pace(ctx); err != nil {
		return nil, err
	}
	text, err := command(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+strings.Join(names, ","),
		"--format=%F|%K|%T|%r")
	if err != nil {
		return nil, err
	}
	var tasks []task
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 4 {
			return nil, fmt.Errorf("squeue: cannot read %q", line)
		}
		status, there := statusOf(fields[2])
		if !there {
			continue
		}
		job, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("squeue: %q is no task of a job array", line)
		}
		tasks = append(tasks, task{fields[0], job, status, fields[3]})
	}
	return tasks, nil
}

// statusOf translates a state of squeue; there is false for a task that has ended (squeue, "JOB STATE CODES").
func statusOf(state string) (status sweep.Status, there bool) {
	switch state {
	case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
		"REVOKED", "TIMEOUT":
		return "", false
	case "COMPLETING", "RUNNING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED", "RESIZING":
		return sweep.Running, true
	default: // PENDING, CONFIGURING, REQUEUED, REQUEUE_HOLD, REQUEUE_FED, RESV_DEL_HOLD, SPECIAL_EXIT
		return sweep.Queued, true
	}
}

// squeueApart is the least time between two calls of squeue by one process, for the controller's sake.
const squeueApart = time.Second

// pace waits until squeue may be called again.
func (x *Executor) pace(ctx context.Context) error {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(x.asked.Add(squeueApart))):
	}
	x.asked = time.Now()
	return nil
}

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
		err = fmt.Errorf("%s: its version is %d, this gfncp reads %d", arraysPath(s), known.SchemaVersion,
			arraysVersion)
	}
	if err != nil {
		return known, fmt.Errorf("read the job arrays of the sweep: %w", err)
	}
	return known, nil
}

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
