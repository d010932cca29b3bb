package board

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// A log is read as it grows: whole lines alone, each once; a half-written one when its rest has come.
func TestFollow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 10)
	f := newFollower(dir)
	if n := f.next(); len(n.Steps) != 10 || len(n.Valid) != 1 || n.Fault != "" || n.Reset || n.Steps[9]["step"] != 10. {
		t.Errorf("the first news are %+v", n)
	}
	text := logLine(11)
	add := func(text string) {
		file := must.M1(os.OpenFile(f.path, os.O_APPEND|os.O_WRONLY, 0))
		must.M1(file.WriteString(text))
		must.M(file.Close())
	}
	add(text[:20])
	if n := f.next(); len(n.Steps)+len(n.Valid) > 0 || n.Fault != "" {
		t.Errorf("of a half line it tells %+v", n)
	}
	add(text[20:])
	if n := f.next(); len(n.Steps) != 1 || n.Steps[0]["step"] != 11. {
		t.Errorf("of its rest it tells %+v", n)
	}
	add("garbage\n" + logLine(12))
	if n := f.next(); len(n.Steps) != 1 || !strings.Contains(n.Fault, "metrics.jsonl:13: is no line of a run's log") {
		t.Errorf("of a damaged line it tells %+v", n)
	}
	add(`{"step":13,"kind":"data","loss":1.7976931348623157e308}` + "\n")
	if n := f.next(); len(n.Steps) != 1 || n.Steps[0]["loss"] != nil {
		t.Errorf("of a loss that diverged it tells %+v", n)
	}
}

// A log that a resumed run has cut, or replaced, begins anew; one that is gone may come back.
func TestFollowAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 30)
	f := newFollower(dir)
	f.next()
	must.M(os.Truncate(f.path, int64(len(logLine(1)))))
	if n := f.next(); !n.Reset || len(n.Steps) != 1 {
		t.Errorf("after a cut it tells %+v", n)
	}
	other := filepath.Join(dir, "other")
	must.M(os.WriteFile(other, []byte(logLine(1)+logLine(2)+logLine(3)), 0o644))
	must.M(os.Rename(other, f.path))
	if n := f.next(); !n.Reset || len(n.Steps) != 3 {
		t.Errorf("of another file it tells %+v", n)
	}
	must.M(os.RemoveAll(dir))
	if n := f.next(); !strings.Contains(n.Fault, "disappeared") || n.Reset {
		t.Errorf("of no file it tells %+v", n)
	}
	writeRun(t, dir, 2)
	if n := f.next(); !n.Reset || len(n.Steps) != 2 {
		t.Errorf("of a file that is back it tells %+v", n)
	}
}

// A long log comes thinned, its end included; a line without an end is none.
func TestFollowLong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 9000)
	n := newFollower(dir).next()
	if len(n.Steps) > mostSteps || len(n.Steps) < mostSteps/2 || n.Steps[len(n.Steps)-1]["step"] != 9000. ||
		len(n.Valid) != 900 {
		t.Errorf("%d steps, %d validations", len(n.Steps), len(n.Valid))
	}
	must.M(os.WriteFile(filepath.Join(dir, "metrics.jsonl"), make([]byte, mostRead+1), 0o644))
	if n := newFollower(dir).next(); !strings.Contains(n.Fault, "none of a run's log") || n.more {
		t.Errorf("of a line without an end it tells %q", n.Fault)
	}
}
