package main

import (
	"regexp"
	"strings"
	"testing"
)

// Each repeat is a line as Go's benchmarks print it, and one more tells what a step has held and what is estimated.
func TestBench(t *testing.T) {
	stdout, stderr, status := gfncp("bench", "--only", "step", "--models", "ncp", "--batches", "2x8", "--repeats", "2",
		"--backend", "go")
	line := regexp.MustCompile(`(?m)^BenchmarkStep/ncp/2x8-\d+\t1\t\d+ ns/op\t[0-9.e+]+ µs/point$`)
	if status != exitDone || len(line.FindAllString(stdout, -1)) != 2 || !strings.Contains(stdout, "\nbackend: go\n") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	held := regexp.MustCompile(`(?m)^BenchmarkStep/ncp/2x8-\d+\t1\t\d+ resident-MB\t\d+ estimated-MB$`)
	if strings.Contains(stdout, "resident") && !held.MatchString(stdout) {
		t.Errorf("%s", stdout)
	}
}

func TestBenchFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--only", "step,steps"}, `no benchmarks are called "steps"`},
		{[]string{"--models", "gfn"}, `model "gfn" is not known`},
		{[]string{"--batches", "12"}, `"12" is no batch`},
		{[]string{"--repeats", "0"}, "--repeats 0 is out of range"},
	} {
		stdout, stderr, status := gfncp(append([]string{"bench"}, test.args...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, stdout %q, stderr %q", test.args, status, stdout, stderr)
		}
	}
}
