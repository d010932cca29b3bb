package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// What a table lacks is planned, trained with --trainings, and lacking no more; no table is written.
func TestPlanAndTrainings(t *testing.T) {
	dir := t.TempDir()
	runs, out := filepath.Join(dir, "runs"), filepath.Join(dir, "results")
	command := append([]string{
		"reproduce", "table3", "--scale", "smoke", "--train", "always", "--only", "mog,ncp",
		"--runs", runs, "--out", out,
	}, tinyRun...)
	type plan struct {
		Hours     float64
		Trainings []plannedRun
	}
	planned := func() (p plan) {
		stdout, stderr, status := gfncp(append(command, "--plan", "--json")...)
		if status != exitDone {
			t.Fatalf("--plan ended with %d: %s", status, stderr)
		}
		must.M(json.Unmarshal([]byte(stdout), &p))
		return p
	}
	before := planned()
	if len(before.Trainings) != 1 || before.Trainings[0].Name != "mog-ncp, seed 1" || before.Trainings[0].Steps != 6 ||
		before.Trainings[0].By != "mog-ncp" || before.Hours <= 0 {
		t.Fatalf("planned: %+v", before)
	}
	if stdout, _, _ := gfncp(append(command, "--plan")...); !strings.Contains(stdout, "1 training at scale smoke") {
		t.Errorf("--plan prints %s", stdout)
	}
	stdout, stderr, status := gfncp(append(command, "--trainings", "--quiet")...)
	if status != exitDone || stdout != "" {
		t.Fatalf("--trainings ended with %d: %s%s", status, stdout, stderr)
	}
	if after := planned(); len(after.Trainings) != 0 || after.Hours != 0 {
		t.Errorf("planned after the training: %+v", after)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", out, err)
	}
}

func TestUntilFaults(t *testing.T) {
	for _, test := range []struct{ more, want string }{
		{"--trainings --until tomorrow", `--until "tomorrow" is no time of day; give a time of day such as 06:30`},
		{"--until 06:30", "--until ends trainings; give --trainings too"},
	} {
		args := append([]string{"reproduce", "table3", "--out", t.TempDir()}, strings.Fields(test.more)...)
		stdout, stderr, status := gfncp(args...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: status %d, %q, want %q", test.more, status, stderr, test.want)
		}
	}
}

func TestNextHour(t *testing.T) {
	evening := time.Date(2026, 12, 31, 21, 15, 30, 0, time.UTC)
	for clock, want := range map[string]string{
		"21:16": "2026-12-31 21:16", "21:15": "2027-01-01 21:15",
		"06:30": "2027-01-01 06:30", "23:59": "2026-12-31 23:59",
	} {
		if got := must.M1(nextHour(clock, evening)).Format("2006-01-02 15:04"); got != want {
			t.Errorf("%s comes at %s, want %s", clock, got, want)
		}
	}
}
