package experiments_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/testfiles"
)

var (
	// newFile marks the whole text of a new file in docs/extending.md, change a diff of one that is there.
	newFile = regexp.MustCompile("(?s)<!-- new: (\\S+) -->\n```go\n(.*?)```")
	change  = regexp.MustCompile("(?s)<!-- change: (\\S+) -->\n```diff\n(.*?)```")
)

// What docs/extending.md says to write is written: the program has the new loss and the new table, and no test of their
// packages breaks. An overlay of the toolchain stands for the changed files.
func TestExtendingDocument(t *testing.T) {
	short.Skip(t, "builds the program and runs tests of packages that changed")
	overlay := overlayOf(t, string(must.M1(os.ReadFile("../docs/extending.md"))))
	run := func(args ...string) string {
		command := exec.Command("go", args...)
		command.Dir = ".."
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("vet", "-overlay", overlay, "./losses", "./experiments")
	run("test", "-short", "-overlay", overlay, "./losses", "./experiments")
	program, dir := filepath.Join(t.TempDir(), "gfncp"), t.TempDir()
	run("build", "-overlay", overlay, "-o", program, "./cmd/gfncp")
	out, err := exec.Command(program, "reproduce", "bounds", "--scale", "smoke", "--quiet", "--runs", dir, "--out",
		dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Oracle") || strings.Contains(string(out), "GFNCP") {
		t.Errorf("the new table: %v\n%s", err, out)
	}
	run = func(args ...string) string { return string(must.M1(exec.Command(program, args...).CombinedOutput())) }
	run("train", "--data", "mog", "--out", filepath.Join(dir, "run"), "--quiet", "--set", "loss.confidence_weight=0.5",
		"--set", "train.steps=2", "--set", "data.batch=2", "--set", "data.n_min=6", "--set", "data.n_max=6",
		"--set", "train.valid_every=2", "--set", "train.valid_sets=2")
	log := string(must.M1(os.ReadFile(filepath.Join(dir, "run", "metrics.jsonl"))))
	if !strings.Contains(log, `"confidence"`) {
		t.Errorf("the log has no new loss:\n%s", log)
	}
}

// overlayOf writes the files of a document as it says, and an overlay that puts them into the module.
func overlayOf(t *testing.T, document string) (path string) {
	t.Helper()
	dir, root := t.TempDir(), must.M1(filepath.Abs(".."))
	replace := map[string]string{}
	put := func(name, text string) {
		replace[filepath.Join(root, name)] = testfiles.Write(t, []byte(text), dir, strings.ReplaceAll(name, "/", "_"))
	}
	for _, m := range newFile.FindAllStringSubmatch(document, -1) {
		put(m[1], m[2])
	}
	texts := map[string]string{}
	for _, m := range change.FindAllStringSubmatch(document, -1) {
		name := m[1]
		if texts[name] == "" {
			texts[name] = string(must.M1(os.ReadFile(filepath.Join(root, name))))
		}
		var before, after strings.Builder
		for line := range strings.Lines(m[2]) {
			if line[0] != '+' {
				before.WriteString(line[1:])
			}
			if line[0] != '-' {
				after.WriteString(line[1:])
			}
		}
		if strings.Count(texts[name], before.String()) != 1 {
			t.Fatalf("%s does not have these lines once:\n%s", name, before.String())
		}
		texts[name] = strings.Replace(texts[name], before.String(), after.String(), 1)
	}
	for name, text := range texts {
		put(name, text)
	}
	if len(replace) < 4 {
		t.Fatalf("the document writes %d files", len(replace))
	}
	path = filepath.Join(dir, "overlay.json")
	must.M(os.WriteFile(path, must.M1(json.Marshal(map[string]any{"Replace": replace})), 0o644))
	return path
}
