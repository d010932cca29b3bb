package figure

import (
	"math"
	"slices"
	"testing"
)

// The area of a histogram is 1, its steps are at the edges, and the cumulative shares end at 1.
func TestDistributions(t *testing.T) {
	c := Distributions("t", "x", 3.5, []Sample{
		{Name: "values", Values: []float64{3, 1, 1, 2}},
		{Name: "counts", Edges: []float64{0, 1, 4}, Counts: []float64{1, 3}},
	})
	for i, s := range c.Panels[0].Series {
		area := 0.0
		for j := range len(s.X) - 1 {
			area += s.Y[j] * (s.X[j+1] - s.X[j])
		}
		if !(math.Abs(area-1) < 1e-12) {
			t.Errorf("%s has the area %g", s.Name, area)
		}
		if below := c.Panels[1].Series[i].Y; below[0] != 0 || below[len(below)-1] != 1 || !slices.IsSorted(below) {
			t.Errorf("%s has the shares %v", s.Name, below)
		}
	}
	if s := c.Panels[1].Series[0]; !slices.Equal(s.X[1:5], []float64{1, 1, 2, 3}) || s.Y[2] != 0.5 {
		t.Errorf("steps at %v up to %v", s.X, s.Y)
	}
	if s := c.Panels[1].Series[1]; !slices.Equal(s.Y, []float64{0, 0.25, 1}) {
		t.Errorf("shares of counts are %v", s.Y)
	}
}

// Each point is in the series of its cluster, hollow where it is uncertain.
func TestClusters(t *testing.T) {
	c := Clusters("t", "x", "y", []float32{0, 1, 2, 3, 4, 5}, []int32{1, 1, 0}, []float64{1, 0.2, 0.95})
	var rows []string
	for _, row := range c.Records().Rows {
		rows = append(rows, row[1].(string))
	}
	s := c.Panels[0].Series
	if len(rows) != 3 || s[2].Mark != Circles || s[2].X[0] != 2 || s[1].Name != "cluster 1: 2" {
		t.Errorf("series %+v", s)
	}
}
