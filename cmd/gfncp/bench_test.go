package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/benchmarks"
)

// storedBench is a report as gfncp bench --out writes it.
func storedBench(t *testing.T) string {
	t.Helper()
	result := func(group, work string, points int, median float64) benchmarks.Result {
		return benchmarks.Result{
			Group: group, Work: work, Model: "gfncp", Backend: "go", Sets: 1, Points: points, Clusters: 6,
			Seconds: []float64{median, median, 2 * median}, Median: median, PerPoint: 1e6 * median / float64(points),
			Peak: 3_000_000,
		}
	}
	floor := result("floor", "decoding step", 1, 2e-4)
	floor.Floor = &benchmarks.Floor{OperationSeconds: 5e-5, ByteSeconds: 2.5e-5, Seconds: 5e-5, Ratio: 4}
	report := benchmarks.Report{
		SchemaVersion: 1, Machine: "a machine", Cores: 2, Backend: "go", Commit: "abc", Repeats: 3,
		Load:  []float64{0.25, 0, 0},
		Rates: &benchmarks.Rates{MultiplyAdds: 5e10, Copy: 5e9, HostCopy: 2e10},
		Results: []benchmarks.Result{
			result("one-set", "one set", 100, 0.01), result("one-set", "one set", 1000, 0.125),
			floor,
		},
	}
	path := filepath.Join(t.TempDir(), "report.json")
	must.M(os.WriteFile(path, must.M1(json.Marshal(report)), 0o644))
	return path
}

func TestBenchShowsAStoredReport(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "plots")
	stdout, stderr, status := gfncp("bench", "--read", storedBench(t), "--plot", dir)
	if status != exitDone {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, want := range []string{
		"a machine; backend go", "load at the start 0.25", "50.0 G multiply-adds/s",
		"one-set", "1×1000", "125.00 ms", "±50%",
		"4.0 times the floor", "3.0",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("stdout lacks %q:\n%s", want, stdout)
		}
	}
	for _, name := range []string{"time-per-point.svg", "time-per-point.png"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 || !strings.Contains(stderr, "drew "+path) {
			t.Errorf("%s: %v; stderr %q", name, err, stderr)
		}
	}
}

func TestBenchPrintsJSON(t *testing.T) {
	stdout, stderr, status := gfncp("bench", "--read", storedBench(t), "--json")
	var report benchmarks.Report
	if err := json.Unmarshal([]byte(stdout), &report); status != exitDone || err != nil || len(report.Results) != 3 {
		t.Errorf("status %d, %v, %d results; %s", status, err, len(report.Results), stderr)
	}
}

// The report that is kept in the project can be read.
func TestBenchReadsTheKeptReport(t *testing.T) {
	stdout, stderr, status := gfncp("bench", "--read", "../../benchmarks/results/go-2cores.json")
	if status != exitDone || !strings.Contains(stdout, "step gfncp") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}

func TestBenchFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken, later := filepath.Join(dir, "broken.json"), filepath.Join(dir, "later.json")
	must.M(os.WriteFile(broken, []byte("{"), 0o644))
	must.M(os.WriteFile(later, []byte(`{"schema_version": 2}`), 0o644))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--only", "step,steps"}, `no benchmarks are called "steps"`},
		{[]string{"--large", "1"}, "--large 1 is out of range"},
		{[]string{"--read", filepath.Join(dir, "none.json")}, "none.json"},
		{[]string{"--read", broken}, broken},
		{[]string{"--read", later}, "schema_version 2"},
		{[]string{"--model", "mnist-ncp"}, "reads points of 784 coordinates"},
	} {
		stdout, stderr, status := gfncp(append([]string{"bench"}, test.args...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, stdout %q, stderr %q", test.args, status, stdout, stderr)
		}
	}
}
