package slurm

import (
	"cmp"
	"fmt"
	"os"
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
//   - At a pre-emption, scontrol requeue and scancel it sends SIGTERM to every process of the job, so the shell must not pass
//     that on: a worker takes a second signal as "at once". SIGKILL follows after the cluster's KillWait.
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
		"Worker": strings.Join(worker, " "), "Runs": strings.Join(runs, " "), "Setup": r.Setup, "Later": sweep.ExitLater,
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
