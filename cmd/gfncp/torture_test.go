//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

// tortureTime is the environment variable that says for how long TestTorture goes on: `just torture 60` sets 60m.
const tortureTime = "GFNCP_TORTURE"

// victim is a piece of work that has to come to the same end whatever happens to its processes and its disk.
type victim struct {
	name  string
	files map[string]string
	// next is the command line that begins the work in a directory, or goes on with it.
	next func(dir string) []string
}

// tortured are the trainings' settings: a second or two of work, with a checkpoint every few steps.
var tortured = []string{
	"train.steps=90", "train.checkpoint_every=7", "train.valid_every=30", "train.valid_sets=4", "net.hidden=8",
	"net.embed=4", "net.global=4", "data.batch=4", "data.n_min=5", "data.n_max=10",
}

// victims are the long commands: a training, a table with its trainings, a sweep here and on Slurm.
func victims(slurm bool) []victim {
	var flags []string
	file := "metrics = [\"NMI\"]\n[grid]\nloss.beta = [0.5, 1.0]\n[set]\ntest.sets = 3\ntest.n = 8\n"
	for _, set := range tortured {
		flags, file = append(flags, "--set", set), file+set+"\n"
	}
	swept := func(executor ...string) func(string) []string {
		return func(dir string) []string {
			command := append([]string{"sweep"}, executor...)
			if found := must.M1(filepath.Glob(filepath.Join(dir, "sweeps/*"))); len(found) == 1 {
				for _, path := range must.M1(filepath.Glob(filepath.Join(found[0], "state/*.json"))) {
					if bytes.Contains(must.M1(os.ReadFile(path)), []byte(`"`+sweep.Failed+`"`)) {
						return []string{"sweep", "retry-failed", found[0]}
					}
				}
			}
			return append(command, "tiny.toml", "--scale", "smoke", "--backend", "go")
		}
	}
	all := []victim{
		{"train", nil, func(dir string) []string {
			if exists(filepath.Join(dir, "runs/a/config.toml")) {
				return []string{"train", "--resume", "runs/a", "--backend", "go"}
			}
			return append([]string{"train", "--out", "runs/a", "--backend", "go"}, flags...)
		}},
		{"reproduce", nil, func(string) []string {
			return append([]string{
				"reproduce", "table3", "--scale", "smoke", "--train", "always", "--only", "mog,ncp,gfncp",
				"--backend", "go",
			}, flags...)
		}},
		{"sweep", map[string]string{"tiny.toml": file}, swept("--jobs", "2", "--threads", "1")},
	}
	if slurm {
		all = append(all, victim{
			"sweep on Slurm",
			map[string]string{"tiny.toml": file},
			swept("--executor", "slurm", "--cpus", "1", "--memory", "1G"),
		})
	}
	return all
}

// ending is what a victim leaves: what each step of each run did, its best weights, and its tables, without times.
func ending(t *testing.T, dir string) string {
	t.Helper()
	back := must.M1(os.Getwd())
	must.M(os.Chdir(dir))
	defer func() { must.M(os.Chdir(back)) }()
	var all strings.Builder
	all.WriteString(stepsOf(t))
	for _, run := range must.M1(filepath.Glob("runs/*")) {
		m := must.M1(train.ReadModel(train.BestPath(run)))
		fmt.Fprintf(&all, "%s: weights %s of step %d\n", run, m.Params.SHA256(), m.Card.Steps)
	}
	for _, path := range must.M1(filepath.Glob("results/smoke/*.md")) { // of each table, and of nothing else
		all.WriteString(timeless(t, strings.TrimSuffix(path, ".md")+".json"))
	}
	for _, path := range must.M1(filepath.Glob("*/.gfncp-*.tmp")) {
		fmt.Fprintf(&all, "%s stays\n", path)
	}
	return all.String()
}

// TestTorture kills, stops and doubles the processes of long commands at random moments, fills their disk and damages
// their newest checkpoints, goes on with the same command, and compares what they leave with what an undisturbed one
// leaves. It takes some seconds; `just torture MINUTES` goes on for longer, with Slurm where one answers.
func TestTorture(t *testing.T) {
	long := os.Getenv(tortureTime)
	lasting := 5 * time.Second
	if long != "" {
		lasting = must.M1(time.ParseDuration(long))
	}
	t.Setenv(asProgram, "1")
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)) // moments are random anyway
	done := map[string]int{}
	all := victims(long != "" && exec.Command("sinfo", "--noheader").Run() == nil)
	wants, lasts := make([]string, len(all)), make([]time.Duration, len(all))
	for i, v := range all {
		start := time.Now()
		r := newRound(t, v, rng, done)
		r.finish()
		wants[i], lasts[i] = ending(t, r.dir), min(time.Since(start), 8*time.Second) // Slurm takes its time
		r.clear()
	}
	until := time.Now().Add(lasting)
	for n := 0; n == 0 || time.Now().Before(until); n++ {
		i := n % len(all)
		if long == "" {
			i = rng.IntN(len(all)) // the short form has time for one or two
		}
		r := newRound(t, all[i], rng, done)
		for harms := 3 + rng.IntN(10); harms > 0 && !r.ended && (n == 0 || time.Now().Before(until)); harms-- {
			r.harm(lasts[i])
		}
		r.finish()
		if got := ending(t, r.dir); got != wants[i] {
			t.Errorf("%s: it ended otherwise: %s\nafter\n%s", r.v.name, firstDifference(got, wants[i]),
				strings.Join(r.story, "\n"))
		}
		r.clear()
		if done["rounds of "+r.v.name]++; n%20 == 19 {
			fmt.Println(time.Now().Format(time.TimeOnly), done) // a long form tells how it goes
		}
	}
	t.Log(done)
}

// round is one piece of work in a directory of its own: where it may, on a small disk of its own.
type round struct {
	t      *testing.T
	v      victim
	rng    *rand.Rand
	done   map[string]int
	dir    string
	disk   bool            // dir is a disk of its own
	spoilt map[string]bool // checkpoints that were damaged
	ended  bool            // the command has ended with status 0
	story  []string
}

func newRound(t *testing.T, v victim, rng *rand.Rand, done map[string]int) *round {
	r := &round{t: t, v: v, rng: rng, done: done, spoilt: map[string]bool{}}
	r.dir = must.M1(os.MkdirTemp("", "gfncp-torture"))
	r.disk = syscall.Mount("tmpfs", r.dir, "tmpfs", 0, "size=32m") == nil // as root
	t.Cleanup(r.clear)
	for name, text := range v.files {
		must.M(os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644))
	}
	return r
}

// clear ends what is left of the round and removes its directory.
func (r *round) clear() {
	r.killAll()
	if r.disk {
		_ = syscall.Unmount(r.dir, syscall.MNT_DETACH)
	}
	_ = os.RemoveAll(r.dir)
}

// begin starts the victim's next process.
func (r *round) begin() *attempt {
	a := &attempt{cmd: exec.Command(must.M1(os.Executable()), r.v.next(r.dir)...), over: make(chan struct{})}
	a.cmd.Dir, a.cmd.Stdout, a.cmd.Stderr = r.dir, &a.said, &a.said
	a.cmd.Env = append(os.Environ(), mark+r.dir)
	must.M(a.cmd.Start())
	go func() {
		_ = a.cmd.Wait()
		close(a.over)
	}()
	return a
}

// finish lets the victim end in peace. Workers that a killed process has left may hold it up for a while.
func (r *round) finish() {
	for try := 0; !r.ended; try++ {
		a := r.begin()
		<-a.over
		r.note(a, "undisturbed")
		if !r.ended && try == 10 {
			r.t.Fatalf("%s does not end undisturbed\n%s", r.v.name, strings.Join(r.story, "\n"))
		}
	}
}

// attempt is one process of a victim; said is complete once it is over.
type attempt struct {
	cmd  *exec.Cmd
	said bytes.Buffer
	over chan struct{}
}

// note tells the round's story. A stack trace is a fault whatever was done to the process.
func (r *round) note(a *attempt, what string) {
	status, said := a.cmd.ProcessState.ExitCode(), a.said.String()
	r.ended = status == exitDone
	r.story = append(r.story, fmt.Sprintf("%s: %s, status %d: %s", strings.Join(a.cmd.Args[1:3], " "), what, status,
		said[max(0, len(said)-300):]))
	if strings.Contains(said, "goroutine ") || strings.Contains(said, "panic:") {
		r.t.Errorf("%s: a stack trace after %s:\n%s", r.v.name, what, said)
	}
}
