package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/page"
	"github.com/gfncp/gfncp/internal/report/table"
)

// smallResults are results of this project, as gfncp reproduce wrote them.
const smallResults = "../../results/small"

// The page of real results has a section for every experiment: its table where there is one, else how to compute it.
// Its links lead to files that exist, and writing it again gives the same bytes.
func TestReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "report.html")
	args := []string{"report", "--results", smallResults, "--out", out}
	if stdout, stderr, status := gfncp(args...); status != exitDone ||
		stdout != "" || !strings.Contains(stderr, "written: "+out) {
		t.Fatalf("report ended with %d: %s%s", status, stdout, stderr)
	}
	page := string(must.M1(os.ReadFile(out)))
	for _, e := range experiments.All() {
		_, part, found := strings.Cut(page, `<section id="`+e.ID+`"`)
		part, _, _ = strings.Cut(part, "<section id=")
		want := "gfncp reproduce " + e.ID + " --scale small"
		if !found || !strings.Contains(part, want) {
			t.Errorf("section %s: %.300s", e.ID, part)
		}
		if _, err := os.Stat(
			filepath.Join(smallResults, e.ID+".json"),
		); (err == nil) != strings.Contains(part, "<table>") {
			t.Errorf("section %s: computed is %v", e.ID, err == nil)
		}
	}
	for _, want := range []string{"GFNCP, reproduced at scale small"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	links := regexp.MustCompile(`href="([^#"][^"]*)"`).FindAllStringSubmatch(page, -1)
	for _, m := range links {
		if _, err := os.Stat(filepath.Join(dir, must.M1(url.PathUnescape(m[1])))); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
	if len(links) < 30 {
		t.Errorf("%d links to data", len(links))
	}
	if _, _, status := gfncp(append(args, "--quiet")...); status != exitDone ||
		!bytes.Equal([]byte(page), must.M1(os.ReadFile(out))) {
		t.Errorf("writing it again ended with %d and another page", status)
	}
}

// Of a table that two folders hold the first one's is shown; the links lead to its folder, and the command computes it
// at the scale that the folder is named after.
func TestReportOfTwoFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	night := filepath.Join(dir, "night")
	must.M(os.MkdirAll(night, 0o755))
	text := must.M1(os.ReadFile(filepath.Join(smallResults, "table1.json")))
	_, caption, _ := strings.Cut(string(text), `"caption": "`)
	caption, _, _ = strings.Cut(caption, `"`)
	text = bytes.Replace(text, []byte(caption), []byte("the first folder's"), 1)
	must.M(os.WriteFile(filepath.Join(night, "table1.json"), text, 0o644))
	out := filepath.Join(dir, "r.html")
	args := []string{"report", "--results", night, "--results", smallResults, "--out", out, "--quiet"}
	if _, stderr, status := gfncp(args...); status != exitDone {
		t.Fatalf("status %d: %s", status, stderr)
	}
	page := string(must.M1(os.ReadFile(out)))
	for _, want := range []string{
		"the first folder&#39;s", `href="night/table1.json"`, `small/table4.json"`,
		"gfncp reproduce table1 --scale night --out " + night, "gfncp reproduce table4 --scale small",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, `small/table1.json"`) {
		t.Error("a link leads to the second folder's table")
	}
}

// Faults of the user name what is wrong, and nothing is written.
func TestReportFaults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must.M(os.WriteFile(file, nil, 0o644))
	broken := filepath.Join(dir, "broken")
	must.M(os.MkdirAll(broken, 0o755))
	must.M(os.WriteFile(filepath.Join(broken, "table2.json"), []byte(`{"schema_version": 1,`), 0o644))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--results", dir}, dir + ": holds no results"},
		{[]string{"--results", broken}, filepath.Join(broken, "table2.json")},
		{[]string{"--results", smallResults, "--out", filepath.Join(dir, "no", "r.html")}, "r.html"},
		{[]string{"extra"}, "takes no argument"},
	} {
		stdout, stderr, status := gfncp(append([]string{"report"}, test.args...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("gfncp report %q: status %d, %q", test.args, status, stderr)
		}
	}
	if entries := must.M1(os.ReadDir(dir)); len(entries) != 2 {
		t.Errorf("files left behind: %v", entries)
	}
}

// The scale is the one that some cell names; names of shipped weights are none.
func TestScaleOf(t *testing.T) {
	table := func(scale string) page.Section {
		return page.Section{Table: &table.Table{Cells: []table.Cell{{Scale: scale}}}}
	}
	if got := scaleOf([]page.Section{{}, table("mog-gfncp"), table("paper")}); got != experiments.Paper {
		t.Errorf("scale %q", got)
	}
	if got := scaleOf([]page.Section{table("mog-gfncp")}); got != "" {
		t.Errorf("scale %q", got)
	}
}

// The way from the page to the data is relative, so that both can move together.
func TestRelativeLink(t *testing.T) {
	for _, test := range [][3]string{
		{"a", "a", "."}, {"a", "a/b", "b"}, {"a/b", "a", ".."}, {".", "results/small", "results/small"},
	} {
		if got := must.M1(relativeLink(test[0], test[1])); got != test[2] {
			t.Errorf("from %s to %s: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}
