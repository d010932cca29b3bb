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
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

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

// victims are the long commands: a training, a table with its trainings, a sweep.
func victims() []victim {
	var flags []string
	file := "metrics = [\"NMI\"]\n[grid]\nloss.beta = [0.5, 1.0]\n[set]\ntest.sets = 3\ntest.n = 8\n"
	for _, set := range tortured {
		flags, file = append(flags, "--set", set), file+set+"\n"
	}
	return []victim{
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
		{"sweep", map[string]string{"tiny.toml": file}, func(string) []string {
			return []string{
				"sweep", "tiny.toml", "--scale", "smoke", "--backend", "go", "--jobs", "2", "--threads", "1",
			}
		}},
	}
}

// here is held by who needs the process to be in a directory.
var here sync.Mutex

// ending is what a victim leaves: what each step of each run did, its best weights, and its tables, without times.
func ending(t *testing.T, dir string) string {
	t.Helper()
	here.Lock()
	defer here.Unlock()
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
// leaves. It takes some seconds; `just torture MINUTES` goes on for longer.
func TestTorture(t *testing.T) {
	if testing.Short() {
		t.Skip("kills trainings")
	}
	long := os.Getenv(tortureTime)
	lasting, most := time.Duration(0), 4
	if long != "" {
		lasting, most = must.M1(time.ParseDuration(long)), 30
	}
	t.Setenv(asProgram, "1")
	done := &tally{counts: map[string]int{}}
	until := time.Now().Add(lasting)
	var all sync.WaitGroup
	for _, v := range victims() {
		all.Go(func() { torture(t, v, done, until, most) })
	}
	all.Wait()
	t.Log(done.counts)
}

// torture does rounds of a victim, at least one, until it is time, with so many harms in each at most.
func torture(t *testing.T, v victim, done *tally, until time.Time, most int) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 0)) // moments are random anyway
	start := time.Now()
	r := newRound(t, v, rng, done)
	if !r.finish() {
		return
	}
	want := ending(t, r.dir)
	gap := min(time.Since(start), 8*time.Second) / 6 // the longest time until the next harm
	r.clear()
	for n := 0; n == 0 || time.Now().Before(until); n++ {
		r := newRound(t, v, rng, done)
		harms := 0
		for ; harms < most && !r.ended && (n == 0 || time.Now().Before(until)); harms++ {
			r.harm(gap)
		}
		switch { // many harms, but a work that comes to its end among them
		case harms == most:
			gap = gap * 5 / 4
		case harms < most/3:
			gap = gap * 4 / 5
		}
		if !r.finish() {
			return
		}
		if got := ending(t, r.dir); got != want {
			t.Errorf("%s: it ended otherwise: %s\nafter\n%s", v.name, firstDifference(got, want),
				strings.Join(r.story, "\n"))
		}
		r.clear()
		done.add("rounds of "+v.name, 1)
	}
}

// tally counts what was done. A long form tells how it goes.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (d *tally) add(what string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts[what] += n
	if what == kills && d.counts[what]%100 == 0 {
		fmt.Println(time.Now().Format(time.TimeOnly), d.counts)
	}
}

// round is one piece of work in a directory of its own: where it may, on a small disk of its own.
type round struct {
	t      *testing.T
	v      victim
	rng    *rand.Rand
	done   *tally
	dir    string
	disk   bool            // dir is a disk of its own
	spoilt map[string]bool // checkpoints that were damaged
	ended  bool            // the command has ended with status 0
	story  []string
}

func newRound(t *testing.T, v victim, rng *rand.Rand, done *tally) *round {
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
	a := &attempt{cmd: process(r.v.next(r.dir)...), over: make(chan struct{})}
	a.begun = time.Now()
	a.cmd.Dir, a.cmd.Stdout, a.cmd.Stderr = r.dir, &a.said, &a.said
	a.cmd.Env = append(a.cmd.Env, mark+r.dir)
	must.M(a.cmd.Start())
	go func() {
		_ = a.cmd.Wait()
		close(a.over)
	}()
	return a
}

// finish lets the victim end in peace. Workers that a killed process has left may hold it up for a while.
func (r *round) finish() bool {
	for try := 0; !r.ended; try++ {
		a := r.begin()
		<-a.over
		r.note(a, "undisturbed")
		if !r.ended && try == 10 {
			r.t.Errorf("%s does not end undisturbed\n%s", r.v.name, strings.Join(r.story, "\n"))
			return false
		}
	}
	return true
}

// attempt is one process of a victim; said is complete once it is over.
type attempt struct {
	cmd   *exec.Cmd
	said  bytes.Buffer
	begun time.Time
	over  chan struct{}
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
