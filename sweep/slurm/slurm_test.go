package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

// --array takes numbers and ranges; each job is in it once.
func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int{"1": {1}, "1-3": {3, 1, 2}, "2,4-5,7": {7, 2, 5, 4}} {
		var jobs []sweep.Job
		for _, n := range numbers {
			jobs = append(jobs, sweep.Job{N: n})
		}
		if got := ranges(jobs); got != want {
			t.Errorf("%v is written %s, want %s", numbers, got, want)
		}
	}
}

// An option that would spoil the script is a fault that names it; all are reported at once. What sbatch takes is let
// through.
func TestSlurmOptionFaults(t *testing.T) {
	for _, test := range []struct {
		options Request
		want    string // "" is none
	}{
		{Request{}, ""},
		{Request{
			Partition: "gpu,long", Time: "1-12", GPUs: "a100:2", Memory: "16G", CPUs: 4,
			Extra: []string{"--constraint=ib&fast", "-C x", "--exclusive"}, Setup: []string{"module load cuda"},
		}, ""},
		{Request{Time: "2:00:00"}, ""},
		{Request{Time: "2"}, ""},
		{Request{Time: "1"}, "is over before"},
		{Request{Time: "10", WarnAhead: 600}, "is over before"},
		{Request{Time: "two hours"}, "--time"},
		{Request{Time: "1\n#SBATCH --x"}, "--time"},
		{Request{Partition: "a b"}, "--partition"},
		{Request{GPUs: "0"}, "--gpus"},
		{Request{Memory: "8 GB"}, "--memory"},
		{Request{CPUs: -1}, "--cpus"},
		{Request{Extra: []string{"constraint=x"}}, "no option of sbatch"},
		{Request{Extra: []string{"--array=1-5"}}, "set by the sweep itself"},
		{Request{Extra: []string{"-J name"}}, "set by the sweep itself"},
		{Request{Extra: []string{"--mail-user=x\nrm -rf"}}, "no option of sbatch"},
		{Request{Setup: []string{"a\nb"}}, "--setup"},
		{Request{Time: "x", Memory: "y"}, "--memory"},
	} {
		err := test.options.Validate()
		if test.want == "" && err != nil || test.want != "" &&
			(!usererr.Is(err) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.options, err, test.want)
		}
	}
}

// The forms of a time limit, from the manual of sbatch --time.
func TestSlurmSeconds(t *testing.T) {
	for limit, want := range map[string]int{
		"90": 5400, "2:30": 150, "1:02:03": 3723, "2-5": 53 * 3600, "1-0:30": 86400 + 1800, "1-02:03:04": 86400 + 7384,
		"": 0, "UNLIMITED": 0,
	} {
		if got := seconds(limit); got != want {
			t.Errorf("%q is %d s, want %d", limit, got, want)
		}
	}
}

// What a later command does not say stays as it was said before.
func TestRequestStay(t *testing.T) {
	before := Request{
		Partition: "a", Account: "b", Time: "1", CPUs: 2, GPUs: "1", Memory: "1G", AtOnce: 3, Requeues: 4,
		WarnAhead: 5, Extra: []string{"--x"}, Setup: []string{"y"},
	}
	if got := (Request{}).or(before); !slices.Equal(got.lines(), before.lines()) || got.AtOnce != 3 ||
		got.Requeues != 4 || got.WarnAhead != 5 || got.Setup[0] != "y" {
		t.Errorf("nothing said: %+v", got)
	}
	if got := (Request{Time: "9", Extra: []string{"--z"}}).or(before); got.Time != "9" || got.Partition != "a" ||
		!slices.Equal(got.Extra, []string{"--z"}) {
		t.Errorf("a time said: %+v", got)
	}
}

// tiny is a [set] under which a training takes well under a second.
const tiny = `
[set]
net.hidden = 8
net.embed = 4
net.global = 4
data.batch = 4
data.n_min = 5
data.n_max = 10
train.steps = 6
train.valid_every = 3
train.valid_sets = 4
train.checkpoint_every = 2
test.sets = 3
`

// awkward makes a sweep below a directory whose name needs quoting in bash and in #SBATCH lines.
func awkward(t *testing.T, text string, overrides ...string) *sweep.Sweep {
	t.Helper()
	root := filepath.Join(t.TempDir(), `it's 100% "here"`)
	file := filepath.Join(t.TempDir(), "tiny.toml")
	must.M(os.WriteFile(file, []byte(text+tiny), 0o644))
	spec := must.M1(sweep.ReadSpec(file))
	must.M(spec.Set(overrides...))
	s := must.M1(sweep.New(filepath.Join(root, "sweeps"), filepath.Join(root, "runs"), spec,
		must.M1(spec.Plan(experiments.Smoke))))
	must.M(s.Save())
	s.Program, s.Backend = []string{filepath.Join(root, "gfncp")}, "go"
	return s
}

// The script is valid bash, asks for what the options say, and its words are the worker's, whatever the directory's
// name.
func TestSlurmScript(t *testing.T) {
	s := awkward(t, "[grid]\ntest.alpha = [1, 2]\nloss.beta = [0.9, 0.99]\n")
	x := &Executor{Request: Request{
		Partition: "gpu", Account: "lab", Time: "2:00:00", CPUs: 3, GPUs: "a100:1",
		Memory: "8G", AtOnce: 5, WarnAhead: 120,
		Extra: []string{"--constraint=ib"}, Setup: []string{"module load cuda"},
	}}
	text := must.M1(x.Script(s, s.Plan.Jobs))
	for _, line := range []string{
		"#SBATCH --partition=gpu", "#SBATCH --account=lab", "#SBATCH --time=2:00:00", "#SBATCH --cpus-per-task=3",
		"#SBATCH --gres=gpu:a100:1",
		"#SBATCH --mem=8G", "#SBATCH --array=1-2%5", "#SBATCH --requeue", "#SBATCH --signal=B:USR1@120",
		"#SBATCH --constraint=ib", "module load cuda",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("the script has no line %q:\n%s", line, text)
		}
	}
	if _, err := os.Stat(s.File("slurm")); !os.IsNotExist(err) {
		t.Errorf("showing the script wrote something: %v", err)
	}
	path := filepath.Join(t.TempDir(), "script.sh")
	must.M(os.WriteFile(path, []byte(text), 0o644))
	if out, err := exec.Command("bash", "-n", path).CombinedOutput(); err != nil {
		t.Fatalf("bash -n: %v\n%s", err, out)
	}
	s.Program[0] += `\`
	if _, err := x.Script(s, s.Plan.Jobs); !usererr.Is(err) || !strings.Contains(err.Error(), "backslash") {
		t.Errorf("a name that Slurm cannot deal with: %v", err)
	}
	s.Program[0] = strings.TrimSuffix(s.Program[0], `\`)
	words, _, _ := strings.Cut(text[strings.Index(text, "sweep="):], "\n\ntask=")
	out := must.M1(exec.Command("bash", "-c", words+`; printf '%s\n' "$sweep" "${runs[2]}" "${worker[@]}"`).Output())
	line := s.Worker(s.Plan.Jobs[1])
	want := append([]string{s.Dir, s.Plan.Jobs[1].Run}, line[:len(line)-1]...)
	if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("bash reads\n%q, want\n%q", got, want)
	}
}

// The states of squeue's manual: what may still run a job is in the queue.
func TestSlurmStatus(t *testing.T) {
	for state, want := range map[string]sweep.Status{
		"RUNNING": sweep.Running, "COMPLETING": sweep.Running, "SUSPENDED": sweep.Running, "PENDING": sweep.Queued,
		"CONFIGURING": sweep.Queued, "REQUEUED": sweep.Queued, "REQUEUE_HOLD": sweep.Queued,
		"CANCELLED": "", "COMPLETED": "", "FAILED": "", "TIMEOUT": "",
		"PREEMPTED": "", "NODE_FAIL": "", "OUT_OF_MEMORY": "",
	} {
		if got, there := statusOf(state); got != want || there != (want != "") {
			t.Errorf("%s is %q, %v; want %q", state, got, there, want)
		}
	}
	jobs := active(
		[]task{{job: 3, status: sweep.Running}, {job: 3, status: sweep.Queued}, {job: 4, status: sweep.Queued}},
	)
	if len(jobs) != 2 || jobs[3] != sweep.Running || jobs[4] != sweep.Queued {
		t.Errorf("active: %v", jobs)
	}
}

// A machine without Slurm: one line that names what is missing; nothing is planned to have been submitted. Looking at a
// sweep that never was in Slurm needs no Slurm.
func TestNoSlurm(t *testing.T) {
	s := awkward(t, "[grid]\ntest.n = [8]\n")
	s.Program, s.Backend = []string{"/nonexistent/gfncp"}, "go"
	t.Setenv("PATH", t.TempDir())
	x := &Executor{}
	if active, err := x.Active(t.Context(), s); err != nil || len(active) > 0 {
		t.Errorf("active: %v, %v", active, err)
	}
	err := x.Run(t.Context(), s, s.Plan.Jobs)
	if !usererr.Is(err) || !strings.Contains(err.Error(), "no program sbatch") ||
		!strings.Contains(err.Error(), "slurm-client") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if known := must.M1(readArrays(s)); len(known.Arrays) > 0 {
		t.Errorf("recorded: %+v", known)
	}
	s.Program = []string{"/tmp/go-build123/b001/exe/gfncp"}
	if err := x.Run(t.Context(), s, s.Plan.Jobs); !usererr.Is(err) || !strings.Contains(err.Error(), "go build") {
		t.Errorf("a program of `go run`: %v", err)
	}
}

// The record of arrays survives its writer: names are unique, and what was written is read.
func TestSlurmArrays(t *testing.T) {
	s := awkward(t, "[grid]\ntest.n = [8]\n")
	known := must.M1(readArrays(s))
	now := time.Unix(1_700_000_000, 0)
	known.add("x", s.Plan.Jobs, now)
	known.add("x", s.Plan.Jobs, now.Add(time.Nanosecond)).ID = "17"
	must.M(os.MkdirAll(s.File("slurm"), 0o755))
	must.M(atomicfile.WriteJSON(arraysPath(s), known))
	read := must.M1(readArrays(s))
	if len(read.Arrays) != 2 || read.Arrays[0].Name == read.Arrays[1].Name || read.Arrays[1].ID != "17" ||
		read.Arrays[0].Jobs[0] != 1 {
		t.Errorf("read %+v", read)
	}
	must.M(os.WriteFile(arraysPath(s), []byte(`{"schema_version": 2}`), 0o644))
	if _, err := readArrays(s); err == nil {
		t.Error("a file of another version is read")
	}
}
