package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
)

// Of a large file a subset is clustered: JSON, report and file say so, and what is saved predicts with the clusters'
// numbers in the whole file.
func TestClusterSubset(t *testing.T) {
	w := newWorkplace(t)
	var text strings.Builder
	text.WriteString("x,y\n")
	for i := range 2010 {
		fmt.Fprintf(&text, "%d,%d.5\n", i%3*8, i%7)
	}
	large := w.write("large.csv", text.String())
	saved, table := w.path("c.json"), w.path("o.csv")
	r := result[clustering.Result](t,
		w.line("cluster", "--quiet", "--samples", "5", "--save", saved, "--out", table, large)...)
	if r.Subset == nil || len(r.Subset.Points) != 400 || len(r.Labels) != 2010 || len(r.Probability) != 2010 ||
		len(r.Samples[0].Labels) != 400 {
		t.Errorf("subset %+v, %d labels", r.Subset, len(r.Labels))
	}
	rows := readCSV(table)
	if len(rows) != 2011 || len(rows[0]) != 4+r.K+1 || rows[5][2] != fmt.Sprint(r.Labels[4]) {
		t.Errorf("%d rows, head %v, row %v", len(rows), rows[0], rows[5])
	}
	report, _ := done(t, w.line("cluster", "--quiet", "--samples", "5", large)...)
	contains(t, report, "sampled: 400 points; the others are predicted", "2010 points")
	report, _ = done(t, predictions("--quiet", saved, large)...)
	contains(t, report, "predicted from c.json: 2010 points")
	refused(t, "--co-clustering is not to be had of 2010 points",
		w.line("cluster", "--quiet", "--co-clustering", w.path("m.csv"), large)...)
}

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		elapsed     time.Duration
		done, total int
		want        string
	}{
		{10 * time.Second, 1, 4, ", 30s left"},
		{500 * time.Millisecond, 1, 4, ""},
		{time.Minute, 0, 4, ""},
		{time.Minute, 4, 4, ""},
		{90 * time.Second, 50, 100, ", 1m30s left"},
	} {
		if got := remaining(c.elapsed, c.done, c.total); got != c.want {
			t.Errorf("%v for %d of %d: %q, want %q", c.elapsed, c.done, c.total, got, c.want)
		}
	}
}

// A picture of many points shows some, from first to last, each with its own label.
func TestPlotOfManyPoints(t *testing.T) {
	const n = 50_001
	in := &files.Input{Pool: &data.Pool{D: 2}, Path: "many.csv", Columns: []string{"x", "y"}}
	r := &clustering.Result{K: n, Model: "tiny"}
	for i := range n {
		in.X = append(in.X, float32(i), 1)
		r.Labels, r.Probability = append(r.Labels, int32(i)), append(r.Probability, float32(i))
	}
	p := clusterPlot(in, r)
	points := 0
	for _, s := range p.Series() {
		points += len(s.X)
		for _, x := range s.X {
			if int(x) != s.Color {
				t.Fatalf("the point at %v is in cluster %d", x, s.Color)
			}
		}
	}
	if points != 20_000 || !strings.Contains(p.Title, "20000 of 50001 points") {
		t.Fatalf("%d points, %q", points, p.Title)
	}
}
