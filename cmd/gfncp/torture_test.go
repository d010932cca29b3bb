//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
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

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/short"
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
				return strings.Fields("train --resume runs/a --backend go")
			}
			return append(strings.Fields("train --out runs/a --backend go"), flags...)
		}},
		{"reproduce", nil, func(string) []string {
			line := "reproduce table3 --scale smoke --train always --only mog-ncp,mog-gfncp* --backend go"
			return append(strings.Fields(line), flags...)
		}},
		{"sweep", map[string]string{"tiny.toml": file}, func(string) []string {
			return strings.Fields("sweep tiny.toml --scale smoke --backend go --jobs 2 --threads 1")
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
	short.Skip(t, "kills trainings")
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

// lengthy are commands that take their time, or wait for input that does not come; W is a working directory.
var lengthy = []string{
	"cluster W/points.csv --model mog-ncp --columns x,y --samples 100000 --quiet",
	"cluster W/wide.csv --time 1h --quiet",
	"score W/points.csv --labels label --orders 100000 --quiet",
	"eval --model mog-ncp --sets 1000000",
	"bench",
	"reproduce table3 --scale smoke --train always --runs W/runs --out W/out --quiet",
	"train --out W/run --set data.batch=4 --quiet",
	"stream --model mog-gfncp-online",
	"serve --stdio",
	"board W --port 0 --quiet",
	"cluster -",
}

// The first Ctrl-C ends every command, at whatever moment it comes. Under GFNCP_TORTURE that is tried again and again.
func TestFirstInterrupt(t *testing.T) {
	short.Skip(t, "starts every long command")
	t.Parallel()
	until := time.Now()
	if long := os.Getenv(tortureTime); long != "" {
		until = until.Add(must.M1(time.ParseDuration(long)))
	}
	points := "x,y,label\n"
	for range 40 {
		points += "1.5,2,a\n7,8,b\n1,3,a\n"
	}
	wide, rng := "", data.Rand(1, "interrupt/wide", 0)
	for range 3000 {
		wide += fmt.Sprint(rng.Float64())
		for range 39 {
			wide += fmt.Sprintf(",%.3f", rng.Float64())
		}
		wide += "\n"
	}
	var mu sync.Mutex
	times, longest := 0, time.Duration(0)
	for n := 0; n == 0 || time.Now().Before(until); n++ {
		var all sync.WaitGroup
		for i, line := range lengthy {
			moment := data.Rand(1, "interrupt", n*len(lengthy)+i).Int64N(int64(time.Second))
			all.Go(func() {
				dir := must.M1(os.MkdirTemp("", "gfncp-interrupt"))
				defer func() { _ = os.RemoveAll(dir) }()
				must.M(os.WriteFile(filepath.Join(dir, "points.csv"), []byte(points), 0o644))
				must.M(os.WriteFile(filepath.Join(dir, "wide.csv"), []byte(wide), 0o644))
				took := interrupted(t, time.Duration(moment), strings.Fields(strings.ReplaceAll(line, "W", dir)))
				mu.Lock()
				defer mu.Unlock()
				times, longest = times+1, max(longest, took)
			})
			if i%4 == 3 {
				all.Wait()
			}
		}
		all.Wait()
	}
	t.Logf("%d interrupts, the slowest end after %s", times, longest)
}

// interrupted starts a command, interrupts it at a moment that comes after the first fifth of a second, and returns how
// long it took to end.
func interrupted(t *testing.T, moment time.Duration, args []string) time.Duration {
	cmd := process(args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	input := must.M1(cmd.StdinPipe()) // that says nothing
	defer func() { _ = input.Close() }()
	must.M(cmd.Start())
	over := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(over)
	}()
	time.Sleep(200*time.Millisecond + moment)
	select {
	case <-over:
		t.Errorf("gfncp %s ended before it was interrupted: %s", strings.Join(args, " "), said.String())
		return 0
	default:
	}
	must.M(cmd.Process.Signal(os.Interrupt))
	start := time.Now()
	select {
	case <-over:
	case <-time.After(30 * time.Second):
		t.Errorf("gfncp %s goes on 30 s after the first interrupt", strings.Join(args, " "))
		_ = cmd.Process.Kill()
		<-over
	}
	took := time.Since(start)
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	early := status.Signaled() && status.Signal() == syscall.SIGINT // before it could listen
	asked := args[0] == "board" && status.ExitStatus() == exitDone  // that is how it ends
	if !early && !asked && status.ExitStatus() != exitInterrupted ||
		strings.Contains(said.String(), "goroutine ") {
		t.Errorf("gfncp %s ended with %v: %s", strings.Join(args, " "), cmd.ProcessState, said.String())
	}
	return took
}
