//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// lengthy are commands that take their time, or wait for input that does not come; W is a working directory.
var lengthy = []string{
	"cluster W/points.csv --model mog-ncp --columns x,y --samples 100000 --quiet",
	"cluster W/wide.csv --time 1h --quiet",
	"score W/points.csv --labels label --orders 100000 --quiet",
	"eval --model mog-ncp --sets 1000000",
	"bench",
	"doctor --parity",
	"reproduce table3 --scale smoke --train always --runs W/runs --out W/out --quiet",
	"train --out W/run --set data.batch=4 --quiet",
	"stream --model mog-gfncp-online",
	"serve --stdio",
	"board W --port 0 --quiet",
	"cluster -",
}

// The first Ctrl-C ends every command, at whatever moment it comes. Under GFNCP_TORTURE that is tried again and again.
func TestFirstInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("starts every long command")
	}
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
