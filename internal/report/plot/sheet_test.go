package plot

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A contact sheet shows all points of all sets below their titles, the same bytes each time, and grows by rows.
func TestContactSheet(t *testing.T) {
	p := &ContactSheet{Title: "Draws"}
	for i := range 8 {
		panel := *gaussians(uint64(i), 20+i, 3)
		panel.Title = fmt.Sprintf("draw %d", i+1)
		p.Panels = append(p.Panels, panel)
	}
	svg := mustRender(t, p, "svg")
	if !bytes.Equal(svg, mustRender(t, p, "svg")) {
		t.Error("the same sheet gave other bytes")
	}
	for _, words := range []string{"Draws", "draw 1", "draw 8"} {
		if !strings.Contains(string(svg), ">"+words+"<") {
			t.Errorf("the sheet lacks %q", words)
		}
	}
	points := 0
	for _, count := range fills(t, svg) {
		points += count
	}
	if records := len(p.Records().Rows); records != 8*20+28 || points < records {
		t.Errorf("%d points are drawn, %d in the records, want %d", points, records, 8*20+28)
	}
	one := &ContactSheet{Panels: p.Panels[:6]}
	if !(p.height() > one.height()) {
		t.Errorf("two rows are %v high, one is %v", p.height(), one.height())
	}
}

func TestContactSheetRefuses(t *testing.T) {
	damaged := gaussians(1, 10, 2)
	damaged.X = damaged.X[:3]
	for name, p := range map[string]*ContactSheet{
		"nothing": {}, "a panel without all points": {Panels: []Clustering{*gaussians(1, 10, 2), *damaged}},
	} {
		if err := p.Save(filepath.Join(t.TempDir(), "x.svg")); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
}
