package tensorboard

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/janpfeifer/must"
)

var noon = time.Unix(1_700_000_000, 0)

// A file is read as it was written: the version first, then the start of the session, then each step's values as float32.
// A float64 beyond float32 becomes infinite, which viewers show.
func TestWriteAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run", "tensorboard")
	w := must.M1(Create(dir, "node/7", noon, 1))
	if name := filepath.Base(w.Path()); name != "events.out.tfevents.1700000000.node_7" {
		t.Errorf("the file is %s", name)
	}
	must.M(w.Add(noon.Add(time.Second), 1, Scalar{"train/loss", 0.1}, Scalar{"train/nll", -3}))
	must.M(w.Add(noon.Add(1500*time.Millisecond), 300, Scalar{"valid/loss", math.MaxFloat64}))
	must.M(w.Close())
	got := must.M1(Read(w.Path()))
	want := []Event{
		{Time: noon, Version: "brain.Event:2"},
		{Time: noon, Step: 1, Start: true},
		{Time: noon.Add(time.Second), Step: 1, Scalars: []Scalar{{"train/loss", float64(float32(0.1))}, {"train/nll", -3}}},
		{Time: noon.Add(1500 * time.Millisecond), Step: 300, Scalars: []Scalar{{"valid/loss", math.Inf(1)}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%v, want\n%v", got, want)
	}
}

// The files of a directory sort in the order in which they were made, also within a second and with a clock that went back.
func TestFilesInOrder(t *testing.T) {
	dir := t.TempDir()
	must.M(os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644))
	var made []string
	for _, start := range []struct {
		host string
		now  time.Time
	}{{"b", noon}, {"a", noon}, {"c", noon.Add(-time.Hour)}, {"d", noon.Add(time.Hour)}} {
		w := must.M1(Create(dir, start.host, start.now, 1))
		made = append(made, w.Path())
		must.M(w.Close())
	}
	if got := must.M1(Files(dir)); !reflect.DeepEqual(got, made) {
		t.Errorf("files %v, made as %v", got, made)
	}
	if got, err := Files(filepath.Join(dir, "none")); err != nil || got != nil {
		t.Errorf("no directory: %v, %v", got, err)
	}
}

// What was added is in the file at once, without Sync or Close; and a file cut at any byte holds every record before the cut.
func TestKilledWriter(t *testing.T) {
	dir := t.TempDir()
	w := must.M1(Create(dir, "host", noon, 1))
	var ends []int64
	for step := range 3 {
		must.M(w.Add(noon, step+1, Scalar{"train/loss", float64(step)}))
		ends = append(ends, must.M1(os.Stat(w.Path())).Size())
	}
	whole := must.M1(os.ReadFile(w.Path()))
	cut := filepath.Join(t.TempDir(), "cut")
	for size := range whole {
		must.M(os.WriteFile(cut, whole[:size], 0o644))
		events := must.M1(Read(cut))
		last := 0
		for _, end := range ends {
			if int64(size) >= end {
				last++
			}
		}
		if got := len(events) - 2; max(got, 0) != last {
			t.Fatalf("of %d bytes %d events are read, want %d", size, got, last)
		}
	}
	whole[len(whole)/2] ^= 1
	must.M(os.WriteFile(cut, whole, 0o644))
	if _, err := Read(cut); !usererr.Is(err) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file is read with error %v", err)
	}
}

// A session that starts again at a step makes the older events of that step and of later ones void, and no others.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	session := func(first, last int, value float64) {
		w := must.M1(Create(dir, "host", noon, first))
		for step := first; step <= last; step++ {
			must.M(w.Add(noon, step, Scalar{"x", value}))
		}
		must.M(w.Close())
	}
	session(1, 5, 1)
	session(4, 6, 2)
	session(7, 7, 3)
	var steps []int
	var values []float64
	for _, e := range must.M1(History(dir)) {
		steps, values = append(steps, e.Step), append(values, e.Scalars[0].Value)
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7}; !reflect.DeepEqual(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	if want := []float64{1, 1, 1, 2, 2, 2, 3}; !reflect.DeepEqual(values, want) {
		t.Errorf("values %v, want %v", values, want)
	}
}

// After a failed write nothing more is written: the file may end inside a record.
func TestFailedWriteStays(t *testing.T) {
	w := must.M1(Create(t.TempDir(), "host", noon, 1))
	must.M(w.file.Close())
	first := w.Add(noon, 1, Scalar{"x", 1})
	if second := w.Add(noon, 2, Scalar{"x", 1}); first == nil || second != first {
		t.Errorf("errors %v and %v", first, second)
	}
}
