package board

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/board/testruns"
	"github.com/gfncp/gfncp/internal/testfiles"
)

// Runs are found below the folders, with how far they are; what is no run is passed over.
func TestFinder(t *testing.T) {
	root := t.TempDir()
	testruns.WriteRun(t, filepath.Join(root, "a"), 20)
	testruns.WriteRun(t, filepath.Join(root, "deep", "er", "b"), 5)
	testruns.WriteRun(t, filepath.Join(root, "1", "2", "3", "4", "too-deep"), 5)
	testruns.WriteRun(t, filepath.Join(root, ".hidden", "c"), 5)
	must.M(os.WriteFile(filepath.Join(root, "a", "result.json"), []byte("{}"), 0o644))
	must.M(os.WriteFile(filepath.Join(root, "config.txt"), []byte("x"), 0o644))
	testfiles.Write(t, []byte("nonsense = 1\n"), root, "damaged", "config.toml")
	f := &Board{Folders: []string{root, filepath.Join(root, "none")}}
	now := f.look()
	byName := map[string]Run{}
	for _, r := range now.Runs {
		byName[r.Name] = r
	}
	if len(byName) != 3 || byName["a"].Status != finished || byName["a"].Step != 20 || byName["b"].Status != quiet ||
		byName["b"].Model != "gfncp" ||
		!strings.Contains(byName["damaged"].Fault, `unknown key "nonsense"`) {
		t.Errorf("the runs are %+v", byName)
	}
	if len(now.Notes) != 1 || !strings.HasSuffix(now.Notes[0], "none is not there") {
		t.Errorf("the notes are %v", now.Notes)
	}
	testruns.Grow(t, filepath.Join(root, "deep", "er", "b"), 6, 7)
	must.M(os.RemoveAll(filepath.Join(root, "a")))
	now = f.look()
	later := now.Runs[len(now.Runs)-1]
	if len(now.Runs) != 2 || later.Name != "b" || later.Status != running || later.Step != 7 {
		t.Errorf("later the runs are %+v", now.Runs)
	}
}

// A run whose steps take long is running between them.
func TestSlowSteps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "slow")
	testruns.WriteRun(t, dir, 1)
	path := filepath.Join(dir, "metrics.jsonl")
	must.M(os.WriteFile(path, []byte(strings.Replace(testruns.LogLine(1), `"seconds":0.2`, `"seconds":600`, 1)), 0o644))
	old := time.Now().Add(-40 * time.Minute)
	must.M(os.Chtimes(path, old, old))
	if r := (&Board{Folders: []string{dir}}).look().Runs; len(r) != 1 || r[0].Status != running {
		t.Errorf("it is %+v", r[0])
	}
	old = time.Now().Add(-60 * time.Minute)
	must.M(os.Chtimes(path, old, old))
	if r := (&Board{Folders: []string{dir}}).look().Runs; r[0].Status != quiet {
		t.Errorf("it is %+v", r[0])
	}
}
