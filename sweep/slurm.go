package sweep

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
)

// scriptTemplate is a batch script of Slurm: task N of its job array runs job N. How a task ends was tested on a real
// Slurm (.ci/slurm.sh):
//
//   - Before the time limit Slurm sends SIGUSR1 to the shell alone (--signal=B:), which passes it on.
//   - At a pre-emption, scontrol requeue and scancel it sends SIGTERM to every process of the job, so the shell must
//     not pass that on: a worker takes a second signal as "at once". SIGKILL follows after the cluster's KillWait.
//   - A task puts itself back into the queue only while Slurm says that it runs: a cancelled one must not come back.
var scriptTemplate = template.Must(template.New("slurm").Parse(`#!/bin/bash
#SBATCH --job-name=gfncp-{{.Name}}
#SBATCH --array={{.Array}}
#SBATCH --output={{.Output}}
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@90

# gfncp sweep {{.Name}}: task N of this array runs job N of plan.json beside this script.
worker=({{.Worker}})
runs=({{.Runs}})

log={{.Logs}}/${runs[$SLURM_ARRAY_TASK_ID]}.log
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}
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

task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
if [ "$status" -eq {{.Later}} ] && [ "$(squeue -h -j "$task" -o %T)" = RUNNING ]; then
  scontrol requeue "$task" # it continues from its checkpoint
fi
echo "$(date -u +%FT%TZ) $SLURMD_NODENAME: the worker of task $task ended with $status; it printed to $log"
exit "$status"
`))

// Script writes slurm.sh into the sweep's directory, a batch script for sbatch that runs jobs, and returns its path.
// The program and the directories of the sweep and of the runs must lie where the cluster's nodes see them.
func (s *Sweep) Script(w Workers, jobs []Job) (string, error) {
	if strings.Contains(filepath.ToSlash(w.Program[0]), "/go-build") {
		return "", usererr.New("build it where the nodes see it (go build ./cmd/gfncp), and run that",
			"`go run` removes the program before the jobs start")
	}
	if len(jobs) == 0 {
		return "", usererr.New("see `gfncp sweep status`", "sweep %s has no job to run", s.Plan.Name)
	}
	if strings.ContainsAny(s.Dir, "\n\r\\\"") { // Slurm gives a backslash in file names a meaning of its own
		return "", usererr.File(s.Dir, 0, "choose another directory with --sweeps",
			"has a backslash, a quote or a line break in its name, with which Slurm cannot deal")
	}
	line := w.command(s, "")
	var worker, runs, numbers []string
	for _, word := range line[:len(line)-1] {
		worker = append(worker, shellQuote(word))
	}
	for _, j := range jobs {
		numbers = append(numbers, strconv.Itoa(j.N))
		runs = append(runs, fmt.Sprintf("[%d]=%s", j.N, shellQuote(j.Run)))
	}
	slices.Sort(runs)
	var text strings.Builder
	err := scriptTemplate.Execute(&text, map[string]any{
		"Name": s.Plan.Name, "Array": strings.Join(numbers, ","), "Logs": shellQuote(s.file("logs")),
		"Output": `"` + strings.ReplaceAll(s.file("logs"), "%", "%%") + `/slurm-%A_%a.log"`,
		"Worker": strings.Join(worker, " "), "Runs": strings.Join(runs, " "), "Later": ExitLater,
	})
	if err != nil {
		return "", err
	}
	path := s.file("slurm.sh")
	return path, cmp.Or(atomicfile.WriteFile(path, []byte(text.String())), os.Chmod(path, 0o755))
}

// shellQuote writes a word so that bash reads it as it is.
func shellQuote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
