package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// asFeatures writes the points of a workplace, and their labels beside them, as NumPy does, and returns the path.
func (w workplace) asFeatures(t *testing.T) string {
	t.Helper()
	pool := must.M1(files.Open(w.points, files.Options{LabelColumn: "kind"})).Pool
	writeFeatures(t, w.path("points.npy"), pool)
	return w.path("points.npy")
}

// writeFeatures writes a pool's points as an .npy file, and its labels beside it.
func writeFeatures(t *testing.T, path string, pool *data.Pool) {
	t.Helper()
	writeNPY(t, path, fmt.Sprintf("%d, %d", pool.Len(), pool.D), pool.X)
	beside := strings.TrimSuffix(path, ".npy") + "-labels.npy"
	must.M(os.RemoveAll(beside))
	if pool.Labels != nil {
		writeNPY(t, beside, fmt.Sprintf("%d,", pool.Len()), pool.Labels)
	}
}

// cluster and score give the same numbers for a file of features as for the table with the same points.
func TestFeatureFilesAsTables(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	_, clusters, _ := w.run("cluster", "--json", "--labels", "kind", "--samples", "10", w.points)
	_, scores, _ := w.run("score", "--json", "--labels", "kind", "--orders", "3", "--energies", w.points)
	var wantCluster clustering.Result
	var wantScore clustering.ScoreResult
	must.M(json.Unmarshal([]byte(clusters), &wantCluster))
	must.M(json.Unmarshal([]byte(scores), &wantScore))
	for _, path := range []string{w.asFeatures(t)} {
		var cluster clustering.Result
		var score clustering.ScoreResult
		for command, result := range map[string]any{
			"cluster --samples 10": &cluster, "score --orders 3 --energies": &score,
		} {
			words := strings.Fields(command)
			code, stdout, stderr := w.run(words[0], append(words[1:], "--json", path)...)
			if code != 0 || stderr != "" {
				t.Fatalf("%s %s: status %d, stderr %q", command, path, code, stderr)
			}
			must.M(json.Unmarshal([]byte(stdout), result))
		}
		if !reflect.DeepEqual(cluster, wantCluster) {
			t.Errorf("%s: cluster gives\n%+v, want\n%+v", path, cluster, wantCluster)
		}
		if !reflect.DeepEqual(score, wantScore) || len(score.Energies) == 0 {
			t.Errorf("%s: score gives\n%+v, want\n%+v", path, score, wantScore)
		}
		if code, stdout, _ := w.run("cluster", "--samples", "5", path); code != 0 ||
			!strings.Contains(stdout, "against the 3 labels from points-labels.npy") {
			t.Errorf("%s: status %d\n%s", path, code, stdout)
		}
		if code, stdout, _ := w.run("score", "--orders", "2", "--energies", path); code != 0 ||
			!strings.Contains(stdout, "  point 1: ") {
			t.Errorf("%s: status %d\n%s", path, code, stdout)
		}
		code, _, stderr := w.run("cluster", "--header", "no", path)
		if code != exitUsage || !strings.Contains(stderr, "--header has no effect") {
			t.Errorf("--header: status %d, %s", code, stderr)
		}
		code, _, stderr = w.run("score", "--labels", "none", path)
		if code != exitUsage || !strings.Contains(stderr, "--labels has no effect") {
			t.Errorf("--labels: status %d, %s", code, stderr)
		}
	}
}

// A file of features is training data, without its labels, and eval finds its classes.
func TestTrainFeatureFile(t *testing.T) {
	w := newWorkplace(t)
	dir, run := w.path("run"),
		append(
			[]string{"train", "--model", "ncp", "--data", w.asFeatures(t), "--out", w.path("run"), "--backend", "go"},
			tinyRun...,
		)
	if _, stderr, status := gfncp(run...); status != exitDone || !strings.Contains(stderr, "NumPy array: 30 points") {
		t.Fatalf("train: status %d, %s", status, stderr)
	}
	stdout, stderr, status := gfncp("eval", "--model", dir, "--backend", "go", "--sets", "2", "--points", "8")
	if status != exitDone || !strings.Contains(stdout, " file sets of 8 points") {
		t.Errorf("eval: status %d, %s%s", status, stdout, stderr)
	}
}

// A model of a stand-in is evaluated on its test classes, 50 points a set, under a name that says what it is; vectors
// get its factor.
func TestStandinModel(t *testing.T) {
	w := newWorkplace(t)
	c := train.DefaultOn(train.NCP, "standin50")
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 8, 8
	must.M(train.WriteModel(w.model,
		&train.Model{Config: c, Params: c.Net.Init(rand.New(rand.NewPCG(4, 0))), Card: train.Card{Name: "tiny"}}))
	code, stdout, stderr := w.run("eval", "--sets", "2", "--sdpp", "1")
	if code != 0 ||
		!strings.Contains(stdout, "tiny on 2 standin50 (synthetic stand-in) sets of 50 points, CRP(1), seed 1") {
		t.Errorf("eval: status %d, stderr %q\n%s", code, stderr, stdout)
	}
	pool := must.M1(sources.Load("standin50", data.SplitTest))
	few := &data.Pool{Name: "few", D: pool.D, X: pool.X[:30*pool.D]}
	writeFeatures(t, w.path("few.npy"), few)
	code, stdout, stderr = w.run("cluster", "--samples", "2", w.path("few.npy"))
	if code != 0 || !strings.Contains(stdout, "scale factor 20\n") {
		t.Errorf("cluster: status %d, stderr %q\n%s", code, stderr, stdout)
	}
	if stdout, _, status := gfncp(
		"train", "--model", "ccp", "--data", "standin100", "--show-config",
	); status != exitDone || !strings.Contains(stdout, "source = 'standin100'\nsplit = 'train'\ndim = 384\n") {
		t.Errorf("train --show-config: status %d\n%s", status, stdout)
	}
}

// list shows the feature sets with their state, verify tells how to get one that is missing and calls a stand-in
// synthetic.
func TestDataFeatures(t *testing.T) {
	dir := t.TempDir()
	pool := &data.Pool{Name: "p", D: 2, X: counted32(200), Labels: make([]int32, 100)}
	for i := range pool.Labels {
		pool.Labels[i] = int32(i % 50)
	}
	for i := range 50 {
		pool.Classes = append(pool.Classes, "n"+string(rune('0'+i)))
	}
	must.M(os.Mkdir(filepath.Join(dir, "imagenet"), 0o755))
	writeFeatures(t, filepath.Join(dir, "imagenet", "in50.npy"), pool)
	stdout, _, status := gfncp("data", "list", "--data-dir", dir)
	for name, words := range map[string][]string{
		"in50": {"ImageNet-50", "25 train, 25 test classes, vectors of 384", "present"}, "in100": {"missing"},
		"standin200": {
			"Synthetic stand-in for ImageNet-200 features", "100 train, 100 test classes, 20000 vectors of 384",
			"synthetic",
		},
	} {
		for line := range strings.Lines(stdout) {
			for _, word := range words {
				if strings.HasPrefix(line, name+" ") && !strings.Contains(line, word) {
					t.Errorf("status %d: %q lacks %q", status, line, word)
				}
			}
		}
		if !strings.Contains(stdout, "\n"+name+" ") {
			t.Errorf("no %s in\n%s", name, stdout)
		}
	}
	_, stderr, status := gfncp("data", "fetch", "in50", "in100", "--data-dir", dir)
	if status != exitPartly ||
		!strings.Contains(stderr,
			"python/features.py FOLDER "+filepath.Join(dir, "imagenet", "in100.npy")) {
		t.Errorf("fetch: status %d, %s", status, stderr)
	}
	pool.Labels, pool.Classes = nil, nil
	writeFeatures(t, filepath.Join(dir, "imagenet", "in50.npy"), pool)
	_, stderr, status = gfncp("data", "fetch", "in50", "--data-dir", dir)
	if status != exitUsage || !strings.Contains(stderr, "holds no labels") {
		t.Errorf("fetch: status %d, %s", status, stderr)
	}
	stdout, _, _ = gfncp("data", "list", "--json", "--data-dir", dir)
	var got dataJSON
	must.M(json.NewDecoder(bytes.NewReader([]byte(stdout))).Decode(&got))
	for _, set := range got.Datasets {
		if set.Name == "standin50" && (set.State != "synthetic" || set.Folder != "") {
			t.Errorf("%+v", set)
		}
	}
}

// counted32 are n numbers from 1.
func counted32(n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i + 1)
	}
	return values
}
