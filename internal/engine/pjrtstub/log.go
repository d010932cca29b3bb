package pjrtstub

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Log is what a plugin wrote down (PJRTSTUB_LOG).
type Log struct {
	Programs []Compiled
	Runs     []string // the names of executed programs, in order
	Devices  []int    // on which device each of them ran
	Up       Traffic  // host to device
	Down     Traffic  // device to host
	Across   Traffic  // device to device
}

// Compiled is a program that was compiled.
type Compiled struct {
	Name, Hash string
	Operations int
	Fault      string // "" if it was accepted
}

// Traffic counts transfers and their bytes.
type Traffic struct{ Count, Bytes int }

// Record lets the plugin write its log from now to the test's end; read returns what was written since the call
// before.
func Record(tb testing.TB) (read func() *Log) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "log")
	tb.Setenv("PJRTSTUB_LOG", path)
	from := 0
	return func() *Log {
		tb.Helper()
		text, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			tb.Fatal(err)
		}
		log, err := parseLog(string(text[from:]))
		if err != nil {
			tb.Fatal(err)
		}
		from = len(text)
		return log
	}
}

// Zero makes executions free until the test's end: they return zeros at once, or what rules say (plugin/zero.go).
func Zero(tb testing.TB, rules ...string) {
	tb.Helper()
	tb.Setenv("PJRTSTUB_ZERO", "1")
	tb.Setenv("PJRTSTUB_OUTPUTS", strings.Join(rules, ";"))
}

// Distinct is the number of different programs.
func (l *Log) Distinct() int {
	seen := map[string]bool{}
	for _, p := range l.Programs {
		seen[p.Hash] = true
	}
	return len(seen)
}

func parseLog(text string) (*Log, error) {
	l := &Log{}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		traffic := map[string]*Traffic{"up": &l.Up, "down": &l.Down, "across": &l.Across}[fields[0]]
		var err error
		switch {
		case traffic != nil && len(fields) == 3:
			var bytes int
			bytes, err = strconv.Atoi(fields[1])
			traffic.Count++
			traffic.Bytes += bytes
		case fields[0] == "compile" && len(fields) == 7:
			p := Compiled{Name: fields[1], Hash: fields[2], Fault: strings.TrimPrefix(fields[6], "ok")}
			p.Operations, err = strconv.Atoi(fields[3])
			l.Programs = append(l.Programs, p)
		case fields[0] == "run" && len(fields) == 6:
			var device int
			device, err = strconv.Atoi(fields[5])
			l.Runs, l.Devices = append(l.Runs, fields[1]), append(l.Devices, device)
		case fields[0] != "option":
			err = fmt.Errorf("unknown kind of line")
		}
		if err != nil {
			return nil, fmt.Errorf("log of the PJRT plugin, line %q: %w", line, err)
		}
	}
	return l, nil
}

// Programs lets the plugin keep the text of what it compiles from now to the test's end; read returns it by the
// program's name and hash.
func Programs(tb testing.TB) (read func() map[string]string) {
	tb.Helper()
	folder := tb.TempDir()
	tb.Setenv("PJRTSTUB_PROGRAMS", folder)
	return func() map[string]string {
		tb.Helper()
		paths, err := filepath.Glob(filepath.Join(folder, "*.mlir"))
		programs := map[string]string{}
		for _, path := range paths {
			var text []byte
			if err == nil {
				text, err = os.ReadFile(path)
			}
			programs[strings.TrimSuffix(filepath.Base(path), ".mlir")] = string(text)
		}
		if err != nil {
			tb.Fatal(err)
		}
		return programs
	}
}
