package plot

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func barsPicture() *Bars {
	return &Bars{Title: "Decoding", YLabel: "µs", Groups: []string{"gfncp", "ncp", "st"}, Series: []BarSeries{
		{Name: "small", Values: []float64{46.04, 50, 9.876}}, {Name: "large", Values: []float64{64, 0, 1234.5}},
	}}
}

func TestBarsNameGroupsSeriesAndValues(t *testing.T) {
	svg := string(mustRender(t, barsPicture(), "svg"))
	for _, text := range []string{
		"Decoding", "gfncp", "ncp", "st", "small", "large", "46.0", "50.0", "9.88", "64.0", "1234",
	} {
		if !strings.Contains(svg, ">"+text+"<") {
			t.Errorf("the picture lacks %q", text)
		}
	}
	if png := mustRender(t, barsPicture(), "png"); len(png) < 1000 {
		t.Errorf("%d bytes of PNG", len(png))
	}
}

func TestBarsRefuse(t *testing.T) {
	uneven, negative, nan := barsPicture(), barsPicture(), barsPicture()
	uneven.Series[0].Values = uneven.Series[0].Values[:2]
	negative.Series[1].Values[0] = -1
	nan.Series[1].Values[0] = math.NaN()
	for name, p := range map[string]*Bars{"uneven": uneven, "negative": negative, "not a number": nan, "empty": {}} {
		if err := p.Save(filepath.Join(t.TempDir(), "x.svg")); err == nil {
			t.Errorf("%s bars were drawn", name)
		}
	}
}

func TestThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0.01234: "0.0123", 9.876: "9.88", 46.04: "46.0", 999.4: "999", 123456: "123456",
	} {
		if got := threeDigits(v); got != want {
			t.Errorf("threeDigits(%v) = %s, want %s", v, got, want)
		}
	}
}
