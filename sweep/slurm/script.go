package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

// scriptTemplate is the batch script of a job array. How it ends is found out on a real Slurm (.ci/slurm.sh):
//
//   - Before the time limit Slurm sends SIGUSR1 to the shell alone (--signal=B:), which passes it on.
//   - At a pre-emption, scontrol requeue and scancel it sends SIGTERM to every process of the job, so the shell must
//     not pass that on: a worker takes a second signal as "at once". SIGKILL follows after the cluster's KillWait.
//   - Only a task that Slurm itself is not ending already queues itself again; a cancelled one must not come back.
var scriptTemplate = template.Must(template.New("slurm").Parse(`#!/bin/bash
{{- range .Options}}
#SBATCH {{.}}
{{- end}}

# gfncp sweep {{.Name}}: task N of this array runs job N of plan.json in the sweep's directory.
sweep={{.Dir}}
worker=({{.Worker}})
runs=({{.Runs}})

task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
log=$sweep/logs/${runs[$SLURM_ARRAY_TASK_ID]}.log
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}
{{- range .Setup}}
{{.}}
{{- end}}
echo "$(date -u +%FT%TZ) $SLURMD_NODENAME: task $task, attempt $((${SLURM_RESTART_COUNT:-0} + 1)); its worker prints to $log"

"${worker[@]}" "$SLURM_ARRAY_TASK_ID" >>"$log" 2>&1 &
pid=$!
again=yes # a signal ends "wait" early
trap 'again=yes; kill -USR1 "$pid" 2>/dev/null' USR1 # the time is nearly up: Slurm tells this shell alone
trap 'again=yes' TERM                                # pre-empted, requeued or cancelled: Slurm tells the worker as well
while [ -n "$again" ]; do
  again=
  wait "$pid"
  status=$?
done

echo "$(date -u +%FT%TZ) $SLURMD_NODENAME: the worker ended with $status"
if [ "$status" -eq {{.Later}} ] && [ ! -e "$sweep/cancelled" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt {{.Requeues}} ] &&
  [ "$(squeue -h -j "$task" -o %T)" = RUNNING ]; then
  scontrol requeue "$task" && echo "queued again; it continues from its checkpoint"
fi
exit "$status"
`))

// Script is the batch script that Run would submit for jobs, under another name.
func (x *Executor) Script(s *sweep.Sweep, jobs []sweep.Job) (string, error) {
	known, err := readArrays(s)
	if err != nil {
		return "", err
	}
	return x.script(s, jobs, x.Request.or(known.Options), "gfncp-"+s.Plan.Name)
}

func (x *Executor) script(s *sweep.Sweep, jobs []sweep.Job, r Request, name string) (string, error) {
	if err := r.Validate(); err != nil {
		return "", err
	}
	if len(jobs) == 0 {
		return "", usererr.New("see `gfncp sweep status`", "sweep %s has no job to run", s.Plan.Name)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	array := "--array=" + ranges(jobs)
	if r.AtOnce > 0 {
		array += "%" + strconv.Itoa(r.AtOnce)
	}
	options := []string{
		"--job-name=" + name, array,
		"--output=" + sbatchQuote(strings.ReplaceAll(s.File("slurm"), "%", "%%")+"/%A_%a.log"), "--open-mode=append",
		"--chdir=" + sbatchQuote(here),
		"--requeue", fmt.Sprintf("--signal=B:USR1@%d", cmp.Or(r.WarnAhead, warnAhead)),
	}
	for _, path := range append([]string{s.Dir, here}, s.Program...) {
		if strings.ContainsAny(path, "\n\r\\") { // in file names, a backslash has a meaning of its own for Slurm
			return "", usererr.File(path, 0, "rename it",
				"has a backslash or a line break in its name, with which Slurm cannot deal")
		}
	}
	line := s.Worker(jobs[0])
	var worker, runs []string
	for _, word := range line[:len(line)-1] {
		worker = append(worker, shellQuote(word))
	}
	for _, j := range jobs {
		runs = append(runs, fmt.Sprintf("[%d]=%s", j.N, shellQuote(j.Run)))
	}
	var text strings.Builder
	err = scriptTemplate.Execute(&text, map[string]any{
		"Options": append(options, r.lines()...), "Name": s.Plan.Name, "Dir": shellQuote(s.Dir),
		"Worker": strings.Join(worker, " "), "Runs": strings.Join(runs, " "),
		"Setup": r.Setup, "Later": sweep.ExitLater,
		"Requeues": cmp.Or(r.Requeues, requeues),
	})
	return text.String(), err
}

// ranges writes the jobs' numbers as sbatch --array takes them: 1-3,7.
func ranges(jobs []sweep.Job) string {
	var numbers []int
	for _, j := range jobs {
		numbers = append(numbers, j.N)
	}
	slices.Sort(numbers)
	var parts []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		part := strconv.Itoa(numbers[i])
		if end > i {
			part += "-" + strconv.Itoa(numbers[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	return strings.Join(parts, ",")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=+@%,-]+$`)

// shellQuote writes a word so that bash reads it as it is.
func shellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// sbatchQuote writes a value without backslashes so that sbatch reads it as it is from a script's #SBATCH line.
func sbatchQuote(value string) string {
	if plainWord.MatchString(value) {
		return value
	}
	return `"` + strings.ReplaceAll(value, `"`, `\"`) + `"`
}

// Request is what a sweep asks a cluster for, for each job. What is empty or 0 is the cluster's, or the default named.
type Request struct {
	Partition string `json:"partition,omitempty"`
	Account   string `json:"account,omitempty"`
	// limit of one attempt, as sbatch --time takes it: 30, 2:00:00, 1-12
	Time     string `json:"time,omitempty"`
	CPUs     int    `json:"cpus,omitempty"`     // cores of a job
	GPUs     string `json:"gpus,omitempty"`     // "1", or with their kind "a100:1"
	Memory   string `json:"memory,omitempty"`   // of a job on its node: "8G"
	AtOnce   int    `json:"at_once,omitempty"`  // jobs that may run at the same time; 0: no bound
	Requeues int    `json:"requeues,omitempty"` // how often a job queues itself again when its time is up; 0: 10
	// seconds before the time limit at which a job starts to leave; 0: 90
	WarnAhead int      `json:"warn_ahead,omitempty"`
	Extra     []string `json:"extra,omitempty"` // further options of sbatch, such as "--constraint=ib"
	Setup     []string `json:"setup,omitempty"` // shell lines before the worker starts, such as "module load cuda"
}

// The defaults of Request. Slurm may send the warning up to a minute early.
const (
	requeues  = 10
	warnAhead = 90
)

// field is one field of a Request: its option, what its text may be, and how sbatch takes it.
type field struct {
	sweep.Option
	form   *regexp.Regexp // of a text
	bound  string         // the form in words
	sbatch string         // the format of its line; "" where the script itself uses it
}

// fields lists them all in their order.
func (r *Request) fields() []field {
	option := func(name string, value any, usage string) sweep.Option {
		return sweep.Option{Name: name, Usage: usage, Value: value}
	}
	return []field{
		{option("partition", &r.Partition, "partition"), word, "a partition of sinfo", "--partition=%s"},
		{option("account", &r.Account, "account"), word, "an account", "--account=%s"},
		{
			option("time", &r.Time, "limit of one attempt, such as 2:00:00; a job that meets it continues in another"),
			limit, "minutes, hours:minutes:seconds or days-hours, such as 2:00:00", "--time=%s",
		},
		{option("cpus", &r.CPUs, "cores of each job"), nil, "", "--cpus-per-task=%d"},
		{
			option("gpus", &r.GPUs, "GPUs of each job, such as 1 or a100:1"),
			regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*:)?[1-9]\d*$`), "a number, or kind:number such as a100:1",
			"--gres=gpu:%s",
		},
		{
			option("memory", &r.Memory, "memory of each job, such as 8G"),
			regexp.MustCompile(`^\d+[KMGT]?$`), "megabytes, or a number with K, M, G or T", "--mem=%s",
		},
		{option("at-once", &r.AtOnce, "jobs that may run at the same time"), nil, "", ""},
		{
			option("requeues", &r.Requeues, "how often a job may continue after its time was up (default 10)"),
			nil, "", "",
		},
		{
			option("warn-ahead", &r.WarnAhead,
				"seconds before the limit at which a job leaves a checkpoint (default 90)"), nil,
			"", "",
		},
		{
			option("sbatch", &r.Extra, "a further option of sbatch, such as --sbatch=--constraint=ib; may be repeated"),
			nil,
			"", "",
		},
		{
			option("setup", &r.Setup, `a shell line before each job, such as "module load cuda"; may be repeated`),
			nil, "", "",
		},
	}
}

// or fills in what is not set from what was said before.
func (r Request) or(before Request) Request {
	from := before.fields()
	for i, f := range r.fields() {
		if to := reflect.ValueOf(f.Value).Elem(); to.IsZero() {
			to.Set(reflect.ValueOf(from[i].Value).Elem())
		}
	}
	return r
}

// lines are the options of sbatch for what is set.
func (r Request) lines() (lines []string) {
	for _, f := range r.fields() {
		if value := reflect.ValueOf(f.Value).Elem(); f.sbatch != "" && !value.IsZero() {
			lines = append(lines, fmt.Sprintf(f.sbatch, value))
		}
	}
	return append(lines, r.Extra...)
}

var (
	word   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.,-]*$`)
	limit  = regexp.MustCompile(`^(\d+(:\d+){0,2}|\d+-\d+(:\d+){0,2})$`)
	option = regexp.MustCompile(`^(--[a-z][a-z-]*|-[A-Za-z])([= ].*)?$`)
)

// own are options of sbatch that the executor needs as it sets them.
var own = []string{
	"--array", "-a", "--job-name", "-J", "--output", "-o", "--open-mode", "--chdir", "-D", "--requeue", "--no-requeue",
	"--signal", "--parsable", "--test-only", "--wrap", "--wait", "-W",
}

// Validate reports every option that a script cannot hold; whether a cluster grants them sbatch knows.
func (r Request) Validate() error {
	var faults usererr.Faults
	for _, f := range r.fields() {
		switch value := f.Value.(type) {
		case *string:
			faults.Demand(*value == "" || f.form.MatchString(*value), "--"+f.Name, *value, f.bound)
		case *int:
			faults.Demand(*value >= 0 && *value <= 65535, "--"+f.Name, *value, "0..65535")
		}
	}
	warn := cmp.Or(r.WarnAhead, warnAhead)
	if limit := seconds(r.Time); limit > 0 && limit <= warn {
		faults = append(faults, usererr.New("give a longer --time, or a smaller --warn-ahead",
			"--time %s is over before a job has begun: it leaves a checkpoint %d seconds ahead", r.Time, warn))
	}
	for _, extra := range r.Extra {
		name, _, _ := strings.Cut(strings.ReplaceAll(extra, " ", "="), "=")
		switch {
		case !option.MatchString(extra) || strings.ContainsAny(extra, "\n\r"):
			faults = append(faults,
				usererr.New("write it as sbatch takes it, such as --constraint=ib",
					"--sbatch %q is no option of sbatch", extra))
		case slices.Contains(own, name):
			faults = append(faults, usererr.New("leave it out", "--sbatch %q is set by the sweep itself", extra))
		}
	}
	for _, line := range r.Setup {
		if strings.ContainsAny(line, "\n\r") {
			faults = append(faults,
				usererr.New("give --setup once for each line", "--setup %q has more than one line", line))
		}
	}
	return errors.Join(faults...)
}

// seconds is a time limit in seconds, 0 for one that has not its form.
func seconds(text string) int {
	if !limit.MatchString(text) {
		return 0
	}
	days, rest, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, rest = "0", text
	}
	var parts [3]int // hours, minutes, seconds
	words := strings.Split(rest, ":")
	first := 0 // D-H, D-H:M, D-H:M:S, H:M:S
	if !hasDays && len(words) < 3 {
		first = 1 // M, M:S
	}
	for i, word := range words {
		parts[first+i], _ = strconv.Atoi(word)
	}
	d, _ := strconv.Atoi(days)
	return ((d*24+parts[0])*60+parts[1])*60 + parts[2]
}
