package plot

import (
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		log    bool
		lo, hi float64
		want   string
	}{
		{false, 0, 70, "0 10 20 30 40 50 60 70"},
		{false, -11, 11, "-10 -5 0 5 10"},
		{false, -0.11, 0.31, "-0.1 0.0 0.1 0.2 0.3"},
		{true, 0.1, 100, "0.1 1 10 100"},
		{true, 3, 60, "5 10 20 50"},
		{true, 0.951, 0.957, "0.951 0.952 0.953 0.954 0.955 0.956 0.957"},
	} {
		var got []string
		ticks := evenTicks{}.Ticks(c.lo, c.hi)
		if c.log {
			ticks = logTicks{}.Ticks(c.lo, c.hi)
		}
		for _, k := range ticks {
			if k.Value < c.lo || k.Value > c.hi*(1+1e-12) {
				t.Errorf("tick %v outside [%v, %v]", k.Value, c.lo, c.hi)
			}
			got = append(got, k.Label)
		}
		if strings.Join(strings.Fields(strings.Join(got, " ")), " ") != c.want {
			t.Errorf("ticks of [%v, %v], log %v: %s, want %s", c.lo, c.hi, c.log,
				strings.Join(strings.Fields(strings.Join(got, " ")), " "), c.want)
		}
	}
}
