package data

import (
	"slices"
	"strings"
	"testing"
)

func TestPool(t *testing.T) {
	p := &Pool{Name: "p", X: []float32{1, 2, 3, 4, 5, 6}, D: 2, Labels: []int32{0, 1, 0}, Classes: []string{"a", "b"}}
	if err := p.Check(); err != nil || p.Len() != 3 || p.IsImages() || !slices.Equal(p.Point(1), []float32{3, 4}) {
		t.Errorf("%v: %d points, point 1 is %v", err, p.Len(), p.Point(1))
	}
	if _ = append(p.Point(1), 99); p.X[4] != 5 {
		t.Error("appending to a point overwrites the next one")
	}
	if (&Pool{}).Len() != 0 {
		t.Error("the empty pool has points")
	}
	for want, edit := range map[string]func(*Pool){
		"6 values do not make points of 0":  func(p *Pool) { p.D = 0 },
		"6 values do not make points of 4":  func(p *Pool) { p.D = 4 },
		"images of 1×3 pixels":              func(p *Pool) { p.Height, p.Width = 1, 3 },
		"2 labels for 3 points":             func(p *Pool) { p.Labels = p.Labels[:2] },
		"label 1 of point 1 is not one":     func(p *Pool) { p.Classes = p.Classes[:1] },
		"label -1 of point 2 is not one of": func(p *Pool) { p.Labels = []int32{0, 1, -1} },
	} {
		bad := &Pool{
			Name: p.Name, X: p.X, D: p.D, Height: p.Height, Width: p.Width, Labels: p.Labels, Classes: p.Classes,
		}
		edit(bad)
		if err := bad.Check(); err == nil || !strings.HasPrefix(err.Error(), "p: "+want) {
			t.Errorf("got %v, want p: %s", err, want)
		}
	}
}
