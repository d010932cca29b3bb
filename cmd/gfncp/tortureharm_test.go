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

// mark is the environment variable by which the processes of a round are known, those of Slurm's jobs too.
const mark = "GFNCP_TORTURED_IN="

// processes are those of the round that are gfncp: not what Slurm runs around them.
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

// harm lets the victim run for a while and does something to it. What it takes undisturbed is given.
func (r *round) harm(whole time.Duration) {
	harms := []func() string{r.killOne, r.killEverything, r.stop, r.double}
	if r.disk {
		harms = append(harms, r.fillDisk)
	}
	a := r.begin()
	select {
	case <-a.over:
		r.note(a, "nothing had happened yet")
		return
	case <-time.After(r.some(whole)):
	}
	what := harms[r.rng.IntN(len(harms))]()
	select {
	case <-a.over:
	case <-time.After(r.some(whole / 4)):
	}
	r.killAll()
	<-a.over
	if r.note(a, what); r.ended {
		return
	}
	r.done["kills of all processes"]++
	if r.rng.IntN(2) == 0 {
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

func (r *round) killOne() string {
	if pid := r.any(); pid > 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
		r.done["kills of one process"]++
	}
	return "one process was killed"
}

func (r *round) killEverything() string {
	r.killAll()
	return "all were killed"
}

// stop holds a process up in the middle of whatever it does.
func (r *round) stop() string {
	if pid := r.any(); pid > 0 && syscall.Kill(pid, syscall.SIGSTOP) == nil {
		time.Sleep(r.some(300 * time.Millisecond))
		_ = syscall.Kill(pid, syscall.SIGCONT)
		r.done["stops"]++
	}
	return "one was stopped for a while"
}

// double starts the same command beside the first.
func (r *round) double() string {
	second := r.begin()
	select {
	case <-second.over:
	case <-time.After(r.some(2 * time.Second)):
		_ = second.cmd.Process.Kill()
		<-second.over
	}
	ended := r.ended
	r.note(second, "the second of two")
	r.ended = ended // the first one's status counts
	r.done["second writers"]++
	return "a second one ran beside it"
}

// fillDisk leaves less than 40 KB of the disk for a while.
func (r *round) fillDisk() string {
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
	time.Sleep(r.some(time.Second))
	r.killAll()
	must.M(os.Remove(path))
	r.done["full disks"]++
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
	r.done["damaged checkpoints"]++
	r.story = append(r.story, fmt.Sprintf("%s was damaged", path))
}
