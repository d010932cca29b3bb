package main

import (
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// The same seed gives the same numbers on one core and on eight.
func TestNumberOfCores(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each command twice")
	}
	examples := func(name string) string { return filepath.Join("..", "..", "examples", name) }
	seconds := regexp.MustCompile(`"seconds": ?[0-9.e+-]+`)
	for _, command := range [][]string{
		{"cluster", examples("penguins.csv"), "--samples", "20", "--json"},
		{"cluster", examples("penguins.csv"), "--model", "table", "--samples", "20", "--json"},
		{"score", examples("labelled.csv"), "--labels", "label", "--orders", "20", "--json"},
		append([]string{"train", "--data", "mog", "--out", "OUT", "--json", "--quiet"}, tinyRun...),
	} {
		var answers [2]string
		for i, cores := range []int{1, 8} {
			before := runtime.GOMAXPROCS(cores)
			line := append([]string{}, command...)
			for j, word := range line {
				if word == "OUT" {
					line[j] = filepath.Join(t.TempDir(), "run")
				}
			}
			stdout, _ := done(t, append(line, "--backend", "go")...)
			runtime.GOMAXPROCS(before)
			folder := regexp.MustCompile(`"dir": ?"[^"]*"`)
			answers[i] = folder.ReplaceAllString(seconds.ReplaceAllString(stdout, ""), "")
		}
		if answers[0] != answers[1] {
			t.Errorf("%v: one core has %.300s, eight have %.300s", command[0], answers[0], answers[1])
		}
	}
}
