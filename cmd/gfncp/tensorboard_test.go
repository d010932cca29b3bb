package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// curveOf names the curve of each number in a run's log, by the group of the line.
var curveOf = map[string]string{
	"loss": "%s/loss", "mc": "%s/mc", "cd": "%s/cd", "reg": "%s/reg", "nll": "%s/nll", "grad_norm": "%s/grad_norm",
	"sampled": "%s/sampled_clusters", "points": "batch/points", "clusters": "batch/clusters",
	"learning_rate": "run/learning_rate", "seconds": "run/seconds",
	"validation_loss": "valid/loss", "nmi": "valid/nmi", "found_clusters": "valid/found_clusters",
	"true_clusters": "valid/true_clusters",
}

// logPoints counts the points of each curve in metrics.jsonl; terms that a step has not are 0 there.
func logPoints(t *testing.T, run string) map[string]int {
	t.Helper()
	points := map[string]int{}
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
			points[tag]++
		}
	}
	return points
}

// checkEvents wants as many points of each curve in a run's one event file as in its log, and no other curve. What an
// event says is tested in package tensorboard.
func checkEvents(t *testing.T, run string) {
	t.Helper()
	files, want := eventFiles(run), logPoints(t, run)
	if len(files) != 1 || len(want) == 0 {
		t.Fatalf("event files %v, %d curves", files, len(want))
	}
	got := map[string]int{}
	for _, tag := range regexp.MustCompile(`(?s)\n.((?:train|explore|batch|run|valid)/[a-z_]+)`).FindAllSubmatch(
		must.M1(os.ReadFile(files[0])), -1) {
		got[string(tag[1])]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("points in the events %v, in the log %v", got, want)
	}
}

func eventFiles(run string) []string {
	return must.M1(filepath.Glob(filepath.Join(run, "tensorboard", "events.out.tfevents.*")))
}

// The curves are the log's numbers. A finished run without curves gets them afterwards, all at once, and again if asked
// again. A log that something else has written to is one warning that names the line; the older curves stay.
func TestTensorboardOfFinishedRun(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	trainTiny(t, run)
	if len(eventFiles(run)) != 0 {
		t.Fatal("events without --tensorboard")
	}
	resume := []string{"train", "--resume", run, "--tensorboard", "--quiet"}
	for range 2 {
		if _, stderr := done(t, resume...); stderr != "" {
			t.Fatal(stderr)
		}
		checkEvents(t, run)
	}
	log, before := filepath.Join(run, "metrics.jsonl"), eventFiles(run)
	text := append(must.M1(os.ReadFile(log)), "{\n"...)
	must.M(os.WriteFile(log, text, 0o644))
	_, stderr := done(t, resume...)
	contains(t, stderr, fmt.Sprintf("%s:%d: is no line of a run's log", log, bytes.Count(text, []byte("\n"))))
	if after := eventFiles(run); !slices.Equal(after, before) {
		t.Errorf("event files %v, before %v", after, before)
	}
}

// A fault in writing curves is one warning, and the training goes on.
func TestTensorboardFault(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	must.M(os.MkdirAll(run, 0o755))
	must.M(os.WriteFile(filepath.Join(run, "tensorboard"), []byte("a file"), 0o644))
	_, stderr := done(t, append([]string{"train", "--out", run, "--quiet", "--tensorboard"}, tinyRun...)...)
	if strings.Count(stderr, "no more TensorBoard events") != 1 {
		t.Error(stderr)
	}
}
