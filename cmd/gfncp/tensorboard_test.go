package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gfncp/gfncp/internal/tensorboard"
)

// curveOf names the curve of each number in a run's log, by the group of the line.
var curveOf = map[string]string{
	"loss": "%s/loss", "mc": "%s/mc", "cd": "%s/cd", "reg": "%s/reg", "nll": "%s/nll", "grad_norm": "%s/grad_norm",
	"sampled": "%s/sampled_clusters", "points": "batch/points", "clusters": "batch/clusters",
	"learning_rate": "run/learning_rate", "seconds": "run/seconds",
	"validation_loss": "valid/loss", "nmi": "valid/nmi", "found_clusters": "valid/found_clusters",
	"true_clusters": "valid/true_clusters",
}

// logPoints reads metrics.jsonl as curves: "STEP TAG VALUE", in order of lines; terms that a step has not are 0 there.
func logPoints(t *testing.T, run string) map[string]bool {
	t.Helper()
	points := map[string]bool{}
	for line := range bytes.Lines(must.M1(os.ReadFile(filepath.Join(run, "metrics.jsonl")))) {
		var fields map[string]any
		must.M(json.Unmarshal(line, &fields))
		group := "train"
		if fields["kind"] == "explore" {
			group = "explore"
		}
		for key, value := range fields {
			number, ok := value.(float64)
			if key == "step" || !ok {
				continue
			}
			tag := curveOf[key]
			if tag == "" {
				t.Fatalf("the log's %q has no curve", key)
			}
			if tag[0] == '%' {
				tag = fmt.Sprintf(tag, group)
				if number == 0 && key != "loss" && key != "grad_norm" {
					continue
				}
			}
			points[fmt.Sprintf("%v %s %g", fields["step"], tag, float32(number))] = true
		}
	}
	return points
}

// checkEvents compares a run's event files with its log: the same points, each once, at steps and times that do not
// fall.
func checkEvents(t *testing.T, run string) {
	t.Helper()
	want := logPoints(t, run)
	seen := map[string]bool{}
	step, at := 0, 0.0
	for _, e := range readEvents(t, run) {
		if e.step < step || e.at < at {
			t.Fatalf("step %d at %v comes after step %d at %v", e.step, e.at, step, at)
		}
		step, at = e.step, e.at
		for _, s := range e.scalars {
			point := fmt.Sprintf("%d %s %g", e.step, s.Tag, float32(s.Value))
			if !want[point] || seen[point] {
				t.Errorf("event %q: twice, or not in the log", point)
			}
			seen[point] = true
		}
	}
	if len(seen) != len(want) || len(want) == 0 {
		t.Errorf("%d points in the events, %d in the log", len(seen), len(want))
	}
}

func eventFiles(run string) []string {
	return must.M1(filepath.Glob(filepath.Join(run, "tensorboard", "events.out.tfevents.*")))
}

// readEvent is an event with values.
type readEvent struct {
	at      float64
	step    int
	scalars []tensorboard.Scalar
}

// readEvents reads the one event file of a run by event.proto: time is field 1, step 2, the summary 5; its values are
// field 1, with the tag in field 1 and a float32 in field 2.
func readEvents(t *testing.T, run string) (events []readEvent) {
	t.Helper()
	files := eventFiles(run)
	if len(files) != 1 {
		t.Fatalf("event files %v, want one", files)
	}
	for file := must.M1(os.ReadFile(files[0])); len(file) > 0; {
		length := binary.LittleEndian.Uint64(file)
		var e readEvent
		eachField(file[12:12+length], func(field protowire.Number, number uint64, content []byte) {
			switch field {
			case 1:
				e.at = math.Float64frombits(number)
			case 2:
				e.step = int(number)
			case 5:
				eachField(content, func(_ protowire.Number, _ uint64, value []byte) {
					var s tensorboard.Scalar
					eachField(value, func(field protowire.Number, number uint64, content []byte) {
						if field == 1 {
							s.Tag = string(content)
						} else {
							s.Value = float64(math.Float32frombits(uint32(number)))
						}
					})
					e.scalars = append(e.scalars, s)
				})
			}
		})
		if len(e.scalars) > 0 {
			events = append(events, e)
		}
		file = file[12+length+4:]
	}
	return events
}

// eachField calls f for the fields of a message.
func eachField(m []byte, f func(field protowire.Number, number uint64, content []byte)) {
	for len(m) > 0 {
		field, kind, n := protowire.ConsumeTag(m)
		m = m[n:]
		var number uint64
		var content []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(m)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(m)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(m)
			number = uint64(short)
		default:
			content, n = protowire.ConsumeBytes(m)
		}
		f(field, number, content)
		m = m[n:]
	}
}

// The curves are the log's numbers. A finished run without curves gets them afterwards, all at once, and again if asked
// again.
func TestTensorboardOfFinishedRun(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	trainTiny(t, run)
	if len(eventFiles(run)) != 0 {
		t.Fatal("events without --tensorboard")
	}
	for range 2 {
		if _, stderr, status := gfncp("train", "--resume", run, "--tensorboard", "--quiet"); status != exitDone ||
			stderr != "" {
			t.Fatalf("train --resume ended with %d: %s", status, stderr)
		}
		checkEvents(t, run)
	}
}

// A log that something else has written to is one warning that names the line; the older curves stay.
func TestTensorboardOfDamagedLog(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	trainTiny(t, run)
	log := filepath.Join(run, "metrics.jsonl")
	must.M(os.WriteFile(log, append(must.M1(os.ReadFile(log)), "{\n"...), 0o644))
	lines := bytes.Count(must.M1(os.ReadFile(log)), []byte("\n"))
	_, stderr, status := gfncp("train", "--resume", run, "--tensorboard", "--quiet")
	if want := fmt.Sprintf("%s:%d: is no line of a run's log", log, lines); status != exitDone ||
		!strings.Contains(stderr, want) {
		t.Errorf("train --resume ended with %d: %s; want %q", status, stderr, want)
	}
	if files := eventFiles(run); len(files) != 0 {
		t.Errorf("event files %v", files)
	}
}

// A fault in writing curves is one warning, and the training goes on.
func TestTensorboardFault(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	must.M(os.MkdirAll(run, 0o755))
	must.M(os.WriteFile(filepath.Join(run, "tensorboard"), []byte("a file"), 0o644))
	_, stderr, status := gfncp(append([]string{"train", "--out", run, "--quiet", "--tensorboard"}, tinyRun...)...)
	if status != exitDone || bytes.Count([]byte(stderr), []byte("no more TensorBoard events")) != 1 {
		t.Errorf("train ended with %d: %s", status, stderr)
	}
}
