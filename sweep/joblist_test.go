//go:build unix

package sweep

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// A list becomes jobs in its order, one for each word of each, before the trainings of the file; the budget is no part
// of the hash.
func TestJobList(t *testing.T) {
	const list = "[[job]]\nname = \"first\"\nrun = \"true\"\nneeded = true\nlimit = \"2m\"\n" +
		"[[job]]\nname = \"case-{}\"\nrun = 'echo \"{}\"'\nexpect = \"30s\"\neach = [\"a b, c\", \"d\"]\n"
	p := must.M1(planned("budget = \"25m\"\n" + list))
	var got []string
	for _, j := range p.Jobs {
		got = append(got, fmt.Sprintf("%d %s %s: %s", j.N, j.Name, j.Run, j.Command.Line))
	}
	want := []string{"1 first first: true", `2 case-a-b-c case-a-b-c: echo "a b, c"`, `3 case-d case-d: echo "d"`}
	if !slices.Equal(got, want) || p.Budget.Duration != 25*time.Minute {
		t.Errorf("budget %v, jobs\n%q, want\n%q", p.Budget, got, want)
	}
	first, second := p.Jobs[0].Command, p.Jobs[1].Command
	if !first.Needed || first.Limit.Duration != 2*time.Minute || second.Needed ||
		second.Expect.Duration != 30*time.Second {
		t.Errorf("commands %+v, %+v", first, second)
	}
	if other := must.M1(planned("budget = \"5m\"\n" + list)); other.Hash != p.Hash {
		t.Error("another budget is another sweep")
	}
	both := must.M1(planned(list + "[grid]\nloss.beta = [0.9, 1.0]\n"))
	if len(both.Jobs) != 5 || both.Jobs[3].Command != nil || both.Jobs[3].N != 4 || both.Settings[0].Jobs[0] != 4 {
		t.Errorf("with a grid: %+v", both.Settings)
	}
}

// Every fault of a list shows before anything runs, with its line.
func TestJobListFaults(t *testing.T) {
	for list, want := range map[string]string{
		"[[job]]\nname = \"a\"\n":                   ":1: a job has no command",
		"[[job]]\nrun = \"true\"\n":                 "job name \"\" cannot name a file",
		"[[job]]\nname = \"a/b\"\nrun = \"true\"\n": "cannot name a file",
		"[[job]]\nname = \"a\"\nrun = \"true\"\n\n[[job]]\nname = \"a\"\nrun = " +
			"\"true\"\n": ":5: a second job is called a",
		"[[job]]\nname = \"a\"\nrun = \"true\"\nlimit = \"ten\"\n":       ":4: limit = ten is no time above 0",
		"[[job]]\nname = \"a\"\nrun = \"true\"\nlimt = \"10s\"\n":        "did you mean limit?",
		"[[job]]\nname = \"a\"\nrun = \"true\"\neach = [\"x\"]\n":        "has no place for its words",
		"[[job]]\nname = \"{}\"\nrun = \"{}\"\neach = [\"$(reboot)\"]\n": "each has \"$(reboot)\"",
		"[job]\nname = \"a\"\n":                                           "write each job as [[job]]",
		"budget = 25\n[[job]]\nname = \"a\"\nrun = \"true\"\n":            ":1: budget = 25 is no time",
		"[set]\ntrain.steps = 5\n[[job]]\nname = \"a\"\nrun = \"true\"\n": ":2: train.steps changes no job",
	} {
		if _, err := planned(list); !usererr.Is(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}

// listed makes a sweep of a list whose worker is this process: what the shell prints goes to the log as from a worker.
func listed(t *testing.T, list string) *Sweep {
	t.Helper()
	t.Chdir(t.TempDir())
	spec := must.M1(parseSpec("list.toml", []byte(list)))
	s := must.M1(New("sweeps", "runs", spec, must.M1(spec.Plan("small"))))
	must.M(s.Save())
	s.Backend = "go"
	return s
}

// A command finds the backend, the places and gfncp in its environment. What it ends with is its state: 0 is done and
// never run again, 75 and 130 may go on, its limit ends it and all that it has started, anything else is a failure with
// its last words.
func TestCommandEnds(t *testing.T) {
	s := listed(t, "[[job]]\nname = \"env\"\nrun = 'test \"$BACKEND $RUNS\" = \"go $PWD/runs\" && test -d "+
		"\"$RESULTS\" && test -x \"$(command -v gfncp)\"'\n[[job]]\nname = \"later\"\nrun = 'exit 75'\n[[job]]\nname "+
		"= \"stopped\"\nrun = 'exit 130'\n[[job]]\nname = \"slow\"\nrun = 'sleep 60 & sleep 60; true'\nlimit = "+
		"\"100ms\"\n[[job]]\nname = \"bad\"\nrun = 'echo first; echo the reason >&2; exit 3'\n")
	for i, want := range []struct {
		status Status
		reason string
	}{
		{Done, ""},
		{Interrupted, ""},
		{Interrupted, ""},
		{Interrupted, "its limit is over"},
		{Failed, "exit status 3: the reason"},
	} {
		job := s.Plan.Jobs[i]
		begun := time.Now()
		err := s.Work(t.Context(), job, unopened(t))
		state := must.M1(s.State(job))
		if state.Status != want.status || state.Error != want.reason ||
			errors.Is(err, ErrLater) != (want.status == Interrupted) {
			t.Errorf("%s: %v, %+v; want %+v", job.Name, err, state, want)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%s took %v", job.Name, took)
		}
	}
	must.M(os.RemoveAll(s.File("results")))
	must.M(s.Work(t.Context(), s.Plan.Jobs[0], unopened(t)))
	if _, err := os.Stat(s.File("results")); err == nil {
		t.Error("a command that is done ran again")
	}
	left := must.M1(s.Left(t.Context(), &Local{}))
	if len(left) != 3 || left[0].Name != "later" {
		t.Errorf("left: %+v", left)
	}
}

// asWorkers gives a list workers that only note when they begin and end, and that write their states as a real one
// does; $name decides.
func asWorkers(t *testing.T, list, script string) (*Sweep, *strings.Builder) {
	t.Helper()
	s := listed(t, list)
	s.Program = []string{"sh", "-c", `for n; do :; done; dir=` + s.Dir + "\n" +
		`state() { name=$(ls $dir/state.names | sed -n "${n}p"); echo "{\"status\": \"$1\", \"attempts\": ` +
		`1}" >"$dir/state/$name.json"; }` + "\n" + script, "gfncp"}
	must.M(os.Mkdir(s.File("state.names"), 0o755))
	for _, j := range s.Plan.Jobs {
		must.M(os.WriteFile(s.File("state.names", j.Run), nil, 0o644))
	}
	var said strings.Builder
	s.Say = func(format string, args ...any) { fmt.Fprintf(&said, format+"\n", args...) }
	return s, &said
}

const threeJobs = "[[job]]\nname = \"a\"\nrun = \"true\"\nneeded = true\n[[job]]\nname = \"b\"\nrun = \"true\"\n" +
	"expect = \"1h\"\n[[job]]\nname = \"c\"\nrun = \"true\"\n"

// Commands run in their order, alone, although there is room for more.
func TestCommandsRunAlone(t *testing.T) {
	s, said := asWorkers(t, threeJobs, `echo begin $n >>$dir/order; sleep 0.05; echo end $n >>$dir/order; state done`)
	must.M((&Local{Jobs: 3, Threads: 1}).Run(t.Context(), s, s.Plan.Jobs))
	if order := string(
		must.M1(os.ReadFile(s.File("order"))),
	); order != "begin 1\nend 1\nbegin 2\nend 2\nbegin 3\nend 3\n" {
		t.Errorf("order %q; said %s", order, said)
	}
}

// Nothing after a needed job starts when it fails; the next call asks for it again.
func TestNeeded(t *testing.T) {
	s, said := asWorkers(t, threeJobs, `echo $n >>$dir/order; state failed; exit 1`)
	must.M((&Local{Jobs: 1, Threads: 1}).Run(t.Context(), s, s.Plan.Jobs))
	if order := string(must.M1(os.ReadFile(s.File("order")))); order != "1\n" ||
		!strings.Contains(said.String(), "job 1 (a) is not done: no job after it starts") {
		t.Errorf("order %q; said %s", order, said)
	}
	if left := must.M1(s.Left(t.Context(), &Local{})); len(left) != 3 {
		t.Errorf("left: %+v", left)
	}
}

// With a budget, a job starts only if what it expects to take is left; at its end what runs is told to stop, and no
// more starts.
func TestBudget(t *testing.T) {
	s, said := asWorkers(t, threeJobs+"[[job]]\nname = \"d\"\nrun = \"true\"\n",
		`[ $n = 3 ] || { echo $n >>$dir/order; state done; exit; }; trap 'echo told >>$dir/order; exit 75' TERM; `+
			`while :; do sleep 0.01; done`)
	s.Plan.Budget = Duration{time.Hour} // the call's own counts
	must.M((&Local{Jobs: 1, Threads: 1, Budget: leastTime + time.Second}).Run(t.Context(), s, s.Plan.Jobs))
	order := string(must.M1(os.ReadFile(s.File("order"))))
	if order != "1\ntold\n" || !strings.Contains(said.String(), "job 2 (b) is left: 1h0m0s expected") ||
		!strings.Contains(said.String(), "the budget is spent; stopping 1 jobs") {
		t.Errorf("order %q; said %s", order, said)
	}
}

// unpacked reads an archive: path → content.
func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	file := must.M1(os.Open(path))
	defer func() { _ = file.Close() }()
	archive, files := tar.NewReader(must.M1(gzip.NewReader(file))), map[string]string{}
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must.M(err)
		files[head.Name] = string(must.M1(io.ReadAll(archive)))
	}
}

// A packed sweep has the sweep without its locks, of finished runs all but checkpoints, of the others the newest one;
// later copies replace it; what has no room is said.
func TestPack(t *testing.T) {
	s := listed(t, threeJobs)
	write := func(path, text string) {
		must.M(os.MkdirAll(filepath.Dir(path), 0o755))
		must.M(os.WriteFile(path, []byte(text), 0o644))
	}
	for path, text := range map[string]string{
		"runs/b [1]/result.json": "{}", "runs/b [1]/best.safetensors": "weights",
		"runs/b [1]/checkpoints/step-00000004.safetensors": "old",
		"runs/a/metrics.jsonl":                             "{}", "runs/a/lock": "",
		"runs/a/checkpoints/step-00000002.safetensors": "older",
		"runs/a/checkpoints/step-00000004.safetensors": "newest",
	} {
		write(path, text)
	}
	write(s.File("logs", "a.log"), "log")
	write(s.File("locks", "a"), "")
	must.M(os.Mkdir("out", 0o755))
	must.M(s.Pack("out"))
	runs := unpacked(t, "out/runs-0.tar.gz")
	if len(runs) != 4 || runs["runs/a/checkpoints/step-00000004.safetensors"] != "newest" ||
		runs["runs/b [1]/best.safetensors"] != "weights" {
		t.Errorf("runs %q", runs)
	}
	own := unpacked(t, "out/sweep.tar.gz")
	base := "sweeps/" + filepath.Base(s.Dir) + "/"
	if own[base+"logs/a.log"] != "log" || own[base+"plan.json"] == "" || len(own) != 3 {
		t.Errorf("sweep %q", own)
	}

	var said strings.Builder
	s.Say = func(format string, args ...any) { fmt.Fprintf(&said, format+"\n", args...) }
	parts := s.intoParts([]string{
		"runs/b [1]/best.safetensors", "runs/b [1]/result.json", "runs/a/metrics.jsonl",
		"runs/a/lock",
	}, 8)
	if len(parts) != 2 || len(parts[0]) != 1 || len(parts[1]) != 3 {
		t.Errorf("parts of 8 bytes: %q", parts)
	}
	big := slices.Repeat([]string{"runs/b [1]/best.safetensors"}, mostParts+1)
	if parts := s.intoParts(big, 1); len(parts) != mostParts ||
		!strings.Contains(said.String(), "no room: runs/b [1]/best.safetensors") {
		t.Errorf("too much: %q; said %s", parts, said.String())
	}
	s.Plan.Runs = "/elsewhere"
	if err := s.Pack("out"); !usererr.Is(err) {
		t.Errorf("runs elsewhere: %v", err)
	}
}
