//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/janpfeifer/must"
)

// mark is the environment variable by which the processes of a round are known.
const mark = "GFNCP_TORTURED_IN="

// processes are those of the round that are gfncp.
func (r *round) processes() (pids []int) {
	own := must.M1(os.Executable())
	for _, entry := range must.M1(os.ReadDir("/proc")) {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		program, _ := os.Readlink(filepath.Join("/proc", entry.Name(), "exe"))
		if program == own && slices.ContainsFunc(bytes.Split(environment, []byte{0}), func(v []byte) bool {
			return string(v) == mark+r.dir
		}) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killAll ends every process of the round and waits until none is left.
func (r *round) killAll() {
	for {
		pids := r.processes()
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// some is a random time of at most so long.
func (r *round) some(most time.Duration) time.Duration {
	return time.Duration(r.rng.Int64N(int64(most)))
}

// kills is how often a process that ran was killed, counted once however many processes died with it.
const kills = "kills"

// kill ends every process of the round, and counts if there were any.
func (r *round) kill(begun time.Time) {
	if pids := r.processes(); len(pids) > 0 {
		trained := r.trainedSince(begun)
		r.killAll()
		r.counted(len(pids), trained)
	}
}

// counted counts a kill of so many processes; trained says whether they had done steps of training since they began.
func (r *round) counted(processes int, trained bool) {
	r.done.add("killed processes", processes)
	if trained {
		r.done.add("kills after steps of training", 1)
	}
	r.done.add("kills in "+r.v.name, 1)
	r.done.add(kills, 1)
}

// trainedSince says whether the log of a run has grown.
func (r *round) trainedSince(begun time.Time) bool {
	logs := must.M1(filepath.Glob(filepath.Join(r.dir, "runs/*/metrics.jsonl")))
	return slices.ContainsFunc(logs, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.ModTime().After(begun)
	})
}

// harm lets the victim run for a while, for gap at most, and does something to it.
func (r *round) harm(gap time.Duration) {
	harms := []func(*attempt, time.Duration) string{r.killOne, r.killEverything, r.stop, r.double}
	if r.disk {
		harms = append(harms, r.fillDisk)
	}
	a := r.begin()
	select {
	case <-a.over:
		r.note(a, "nothing had happened yet")
		return
	case <-time.After(r.some(gap)):
	}
	what := harms[r.rng.IntN(len(harms))](a, gap)
	select {
	case <-a.over:
	case <-time.After(r.some(gap / 2)):
	}
	r.kill(a.begun)
	<-a.over
	if r.note(a, what); !r.ended && r.rng.IntN(2) == 0 {
		r.damage()
	}
}

// any is a random process of the round, 0 if there is none.
func (r *round) any() int {
	if pids := r.processes(); len(pids) > 0 {
		return pids[r.rng.IntN(len(pids))]
	}
	return 0
}

func (r *round) killOne(a *attempt, _ time.Duration) string {
	trained := r.trainedSince(a.begun)
	if pid := r.any(); pid > 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
		r.counted(1, trained)
	}
	return "one process was killed"
}

func (r *round) killEverything(a *attempt, _ time.Duration) string {
	r.kill(a.begun)
	return "all were killed"
}

// stop holds a process up in the middle of whatever it does.
func (r *round) stop(_ *attempt, gap time.Duration) string {
	if pid := r.any(); pid > 0 && syscall.Kill(pid, syscall.SIGSTOP) == nil {
		time.Sleep(r.some(gap))
		_ = syscall.Kill(pid, syscall.SIGCONT)
		r.done.add("stops", 1)
	}
	return "one was stopped for a while"
}

// double starts the same command beside the first.
func (r *round) double(_ *attempt, gap time.Duration) string {
	second := r.begin()
	select {
	case <-second.over:
	case <-time.After(r.some(gap)):
		_ = second.cmd.Process.Kill()
		<-second.over
	}
	ended := r.ended
	r.note(second, "the second of two")
	r.ended = ended // the first one's status counts
	r.done.add("second writers", 1)
	return "a second one ran beside it"
}

// fillDisk leaves less than 40 KB of the disk for a while.
func (r *round) fillDisk(a *attempt, gap time.Duration) string {
	path := filepath.Join(r.dir, "filler")
	filler := must.M1(os.Create(path))
	block := make([]byte, 1<<16)
	for {
		if _, err := filler.Write(block); err != nil {
			break
		}
	}
	size := must.M1(filler.Seek(0, 2))
	_ = filler.Truncate(size - int64(r.rng.IntN(40_000)))
	must.M(filler.Close())
	time.Sleep(r.some(gap))
	r.kill(a.begun)
	must.M(os.Remove(path))
	r.done.add("full disks", 1)
	return "the disk was full"
}

// damage flips a bit of the newest checkpoint of a run, or cuts it short, if an older one is whole.
func (r *round) damage() {
	var runs [][]string // their checkpoints
	for _, folder := range must.M1(filepath.Glob(filepath.Join(r.dir, "runs/*/checkpoints"))) {
		found := must.M1(filepath.Glob(filepath.Join(folder, "step-*.safetensors")))
		if len(found) > 1 && !slices.ContainsFunc(found, func(path string) bool { return r.spoilt[path] }) {
			runs = append(runs, found)
		}
	}
	if len(runs) == 0 {
		return
	}
	found := runs[r.rng.IntN(len(runs))]
	path := found[len(found)-1]
	content := must.M1(os.ReadFile(path))
	if r.rng.IntN(2) == 0 {
		content = content[:r.rng.IntN(len(content))]
	} else {
		content[r.rng.IntN(len(content))] ^= 1 << r.rng.IntN(8)
	}
	must.M(os.WriteFile(path, content, 0o644))
	r.spoilt[path] = true
	r.done.add("damaged checkpoints", 1)
	r.story = append(r.story, fmt.Sprintf("%s was damaged", path))
}
