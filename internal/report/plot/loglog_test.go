package plot

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func sizesPicture() *Curve {
	return &Curve{LogX: true, LogY: true, Title: "Time per point", XLabel: "points", YLabel: "µs", Series: []Series{
		{Name: "six", Steps: []int{100, 1000, 1_000_000}, Values: []float64{110, 100, 90}},
		{Name: "fifty", Steps: []int{100, 1000}, Values: []float64{420, math.NaN()}},
	}}
}

func TestLogLogDrawsBothFormats(t *testing.T) {
	for _, format := range []string{"svg", "png"} {
		one, two := mustRender(t, sizesPicture(), format), mustRender(t, sizesPicture(), format)
		if len(one) < 1000 || !bytes.Equal(one, two) {
			t.Errorf("%s: %d bytes, the same again: %v", format, len(one), bytes.Equal(one, two))
		}
	}
	svg := string(mustRender(t, sizesPicture(), "svg"))
	for _, text := range []string{"Time per point", "six", "fifty", "1,000", "1,000,000", "100"} {
		if !strings.Contains(svg, ">"+text+"<") {
			t.Errorf("the picture lacks %q", text)
		}
	}
}

func TestLogLogRefuses(t *testing.T) {
	bad := sizesPicture()
	bad.Series[0].Steps[0] = 0
	uneven := sizesPicture()
	uneven.Series[0].Values = nil
	for name, p := range map[string]*Curve{"a size of zero": bad, "uneven lengths": uneven, "nothing": {}} {
		if err := p.Save(filepath.Join(t.TempDir(), "x.svg")); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
}
