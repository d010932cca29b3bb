package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// nightResults are results of this project, as gfncp reproduce wrote them.
const nightResults = "../../results/night"

// Of a table that two folders hold the first one's counts; --formats writes the tables of each folder again.
func TestReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := must.M1(os.ReadFile(filepath.Join(nightResults, "table3.json")))
	must.M(os.WriteFile(filepath.Join(dir, "table3.json"), text, 0o644))
	counted := func(args ...string) string {
		stdout, stderr, status := gfncp(append([]string{"report", "--quiet"}, args...)...)
		if status != exitDone || stderr != "" {
			t.Fatalf("%q: status %d: %s", args, status, stderr)
		}
		return stdout
	}
	night := counted("--results", nightResults)
	if !strings.Contains(night, "GFNCP by the paper's objective and data: of ") {
		t.Error(night)
	}
	if small := counted("--results", "../../results/small"); !strings.HasPrefix(small, "No table in ") {
		t.Error(small)
	}
	if both := counted("--results", dir, "--results", nightResults); both != night {
		t.Errorf("with another folder before it:\n%s%s", both, night)
	}
	counted("--results", dir, "--formats", "json,tex")
	if again := must.M1(os.ReadFile(filepath.Join(dir, "table3.json"))); !bytes.Equal(again, text) {
		t.Error("the same table has another form")
	}
	if entries := must.M1(os.ReadDir(dir)); len(entries) != 2 || entries[1].Name() != "table3.tex" {
		t.Errorf("the folder holds %v", entries)
	}
}

// Faults of the user name what is wrong, and nothing is written.
func TestReportFaults(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken")
	must.M(os.MkdirAll(broken, 0o755))
	must.M(os.WriteFile(filepath.Join(broken, "table2.json"), []byte(`{"schema_version": 1,`), 0o644))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--results", dir}, dir + ": holds no results"},
		{[]string{"--results", broken}, filepath.Join(broken, "table2.json")},
		{[]string{"--formats", "html"}, `there is no format "html"`},
		{[]string{"extra"}, "takes no argument"},
	} {
		stdout, stderr, status := gfncp(append([]string{"report"}, test.args...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("gfncp report %q: status %d, %q", test.args, status, stderr)
		}
	}
	if entries := must.M1(os.ReadDir(dir)); len(entries) != 1 {
		t.Errorf("files left behind: %v", entries)
	}
}
