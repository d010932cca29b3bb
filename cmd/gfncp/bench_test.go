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
