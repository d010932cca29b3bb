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
		stdout, stderr := done(t, append([]string{"report", "--quiet"}, args...)...)
		if stderr != "" {
			t.Errorf("%q: %s", args, stderr)
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
