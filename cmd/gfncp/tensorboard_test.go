package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/tensorboard"
	"github.com/gfncp/gfncp/train"
)

// curveOf names the curve of each number in a run's log, by the group of the line.
var curveOf = map[string]string{
	"loss": "%s/loss", "mc": "%s/mc", "cd": "%s/cd", "reg": "%s/reg", "nll": "%s/nll", "grad_norm": "%s/grad_norm",
	"sampled": "%s/sampled_clusters", "points": "batch/points", "clusters": "batch/clusters",
	"learning_rate": "run/learning_rate", "seconds": "run/seconds",
	"validation_loss": "valid/loss", "nmi": "valid/nmi", "found_clusters": "valid/found_clusters", "true_clusters": "valid/true_clusters",
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

// checkEvents compares a run's event files with its log: the same points, each once, at steps and times that do not fall.
func checkEvents(t *testing.T, run string) {
	t.Helper()
	want := logPoints(t, run)
	seen := map[string]bool{}
	step := 0
	var at time.Time
	for _, e := range must.M1(tensorboard.History(filepath.Join(run, "tensorboard"))) {
		if e.Step < step || e.Time.Before(at) {
			t.Fatalf("step %d at %v comes after step %d at %v", e.Step, e.Time, step, at)
		}
		step, at = e.Step, e.Time
		for _, s := range e.Scalars {
			point := fmt.Sprintf("%d %s %g", e.Step, s.Tag, float32(s.Value))
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
	return must.M1(tensorboard.Files(filepath.Join(run, "tensorboard")))
}

// The curves are the log's numbers. A finished run without curves gets them afterwards, all at once, and those that
// are there already stay as they are.
func TestTensorboardOfFinishedRun(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	trainTiny(t, run)
	if len(eventFiles(run)) != 0 {
		t.Fatal("events without --tensorboard")
	}
	resume := func() {
		if _, stderr, status := gfncp("train", "--resume", run, "--tensorboard", "--quiet"); status != exitDone || stderr != "" {
			t.Fatalf("train --resume ended with %d: %s", status, stderr)
		}
	}
	resume()
	checkEvents(t, run)
	resume()
	if files := eventFiles(run); len(files) != 1 {
		t.Errorf("event files %v, want one", files)
	}
}

// A run that is killed between checkpoints twice, continues without --tensorboard, is killed again and then ends with it has the
// curves of its log, each step once: what came after a checkpoint is void, what was not recorded is made up for.
func TestTensorboardOverKills(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	args := append([]string{"train", "--out", run, "--quiet"}, tinyRun...)
	args = append(args, "--set", "train.steps=80", "--set", "train.checkpoint_every=10", "--set", "train.valid_every=15", "--set", "loss.beta=0.8")
	killAt(t, run, 15, append(args, "--tensorboard"))
	killAt(t, run, 27, append(args, "--tensorboard"))
	last := must.M1(tensorboard.History(filepath.Join(run, "tensorboard")))
	if len(last) < 27 {
		t.Fatalf("the killed process left %d events, its log had 27 lines", len(last))
	}
	for i := range last[1:] {
		if last[i].Step == last[i+1].Step && last[i].Scalars[0].Tag == last[i+1].Scalars[0].Tag {
			t.Errorf("step %d is there twice", last[i].Step)
		}
	}
	killAt(t, run, 37, args)
	if _, stderr, status := gfncp(append(args, "--tensorboard")...); status != exitDone || stderr != "" {
		t.Fatalf("train ended with %d: %s", status, stderr)
	}
	if files := eventFiles(run); len(files) != 3 {
		t.Errorf("event files %v, want one for each session with --tensorboard", files)
	}
	checkEvents(t, run)
}

// The session that follows a step whose validation is not recorded starts with that step: a viewer drops all of it.
func TestTensorboardStartsWithWholeStep(t *testing.T) {
	run := t.TempDir()
	steps := []train.StepReport{{Step: 1, Kind: "likelihood", Loss: 3}, {Step: 2, Kind: "likelihood", Loss: 2}}
	var lines []byte
	for _, line := range []any{steps[0], steps[1], train.Validation{Step: 2, Loss: 2.5}} {
		lines = append(append(lines, must.M1(json.Marshal(line))...), '\n')
	}
	must.M(os.WriteFile(filepath.Join(run, "metrics.jsonl"), lines, 0o644))
	w := must.M1(tensorboard.Create(eventsDir(run), "host", time.Unix(1e9, 0), 1))
	for _, r := range steps {
		must.M(w.Add(time.Unix(1e9, 0), r.Step, stepScalars(r)...))
	}
	must.M(w.Close())
	log := &eventLog{run: run}
	log.open(2)
	log.close()
	last := must.M1(tensorboard.Read(eventFiles(run)[1]))
	if len(last) != 4 || !last[1].Start || last[1].Step != 2 || last[2].Scalars[0] != (tensorboard.Scalar{Tag: "train/loss", Value: 2}) {
		t.Errorf("the session's events are %+v", last)
	}
	if again := must.M1(log.missing(2)); len(again) > 0 {
		t.Errorf("%d lines are still missing", len(again))
	}
}

// killAt runs a training in a process of its own and kills it once its log has so many lines.
func killAt(t *testing.T, run string, lines int, args []string) {
	t.Helper()
	cmd := exec.Command(must.M1(os.Executable()), append([]string{"-test.run=TestMainProcess", "--"}, args...)...)
	cmd.Env = append(os.Environ(), "GFNCP_TEST_MAIN=1")
	must.M(cmd.Start())
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	for range 3000 {
		if log, err := os.ReadFile(filepath.Join(run, "metrics.jsonl")); err == nil && bytes.Count(log, []byte("\n")) >= lines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the log never had %d lines", lines)
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
