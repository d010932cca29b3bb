package tensorboard

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

var noon = time.Unix(1_700_000_000, 0)

// file is what a file with some events holds: the version, the start of a session at step 1, then the events.
func file(now time.Time, events ...[]byte) string {
	content := appendRecord(appendRecord(nil, versionEvent(now)), startEvent(now, 1))
	for _, e := range events {
		content = appendRecord(content, e)
	}
	return string(content)
}

// What was added is in the file at once, whole, without Sync or Close. A float64 beyond float32 becomes infinite, which
// viewers show.
func TestWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run", "tensorboard")
	w := must.M1(Create(dir, "node/7", noon))
	if name := filepath.Base(w.file.Name()); name != "events.out.tfevents.1700000000.node_7" {
		t.Errorf("the file is %s", name)
	}
	first := []Scalar{{"train/loss", 0.1}, {"train/nll", -3}}
	must.M(w.Add(noon.Add(time.Second), 1, first...))
	must.M(w.Add(noon.Add(1500*time.Millisecond), 300, Scalar{"valid/loss", math.MaxFloat64}))
	want := file(noon, scalarsEvent(noon.Add(time.Second), 1, first),
		scalarsEvent(noon.Add(1500*time.Millisecond), 300, []Scalar{{"valid/loss", math.Inf(1)}}))
	if got := string(must.M1(os.ReadFile(w.file.Name()))); got != want {
		t.Errorf("the file holds\n%q, want\n%q", got, want)
	}
	must.M(w.Close())
}

// Each file replaces the older ones and sorts after them, also within a second and with a clock that went back. What is
// not an event file stays.
func TestCreateStartsAnew(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.txt")
	must.M(os.WriteFile(notes, nil, 0o644))
	before := ""
	for _, start := range []struct {
		host string
		now  time.Time
	}{{"b", noon}, {"a", noon}, {"c", noon.Add(-time.Hour)}, {"d", noon.Add(time.Hour)}} {
		w := must.M1(Create(dir, start.host, start.now))
		must.M(w.Close())
		if w.file.Name() <= before {
			t.Errorf("%s does not come after %s", w.file.Name(), before)
		}
		before = w.file.Name()
		if files := must.M1(filepath.Glob(filepath.Join(dir, "*"))); len(files) != 2 ||
			files[0] != w.file.Name() || files[1] != notes {
			t.Errorf("after %s there are %v", w.file.Name(), files)
		}
		if got := string(must.M1(os.ReadFile(w.file.Name()))); got != file(start.now) {
			t.Errorf("%s begins with %q", w.file.Name(), got)
		}
	}
}

// After a failed write nothing more is written: the file may end inside a record.
func TestFailedWriteStays(t *testing.T) {
	w := must.M1(Create(t.TempDir(), "host", noon))
	must.M(w.file.Close())
	first := w.Add(noon, 1, Scalar{"x", 1})
	if second := w.Add(noon, 2, Scalar{"x", 1}); first == nil || second != first {
		t.Errorf("errors %v and %v", first, second)
	}
}
