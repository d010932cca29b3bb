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
	for i, edit := range []func(*Pool){
		func(p *Pool) { p.D = 0 },
		func(p *Pool) { p.D = 4 },
		func(p *Pool) { p.Height, p.Width = 1, 3 },
		func(p *Pool) { p.Labels = p.Labels[:2] },
		func(p *Pool) { p.Classes = p.Classes[:1] },
		func(p *Pool) { p.Labels = []int32{0, 1, -1} },
	} {
		bad := &Pool{
			Name: p.Name, X: p.X, D: p.D, Height: p.Height, Width: p.Width, Labels: p.Labels, Classes: p.Classes,
		}
		edit(bad)
		if err := bad.Check(); err == nil || !strings.HasPrefix(err.Error(), "p: 6 values, ") {
			t.Errorf("pool %d: %v", i, err)
		}
	}
}
