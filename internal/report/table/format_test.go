package table

import (
	"math"
	"testing"
)

func TestFormatValue(t *testing.T) {
	std := func(x float64) *float64 { return &x }
	nan := math.NaN()
	for _, c := range []struct {
		metric string
		v      *Value
		paper  bool
		want   string
	}{
		{"NMI", nil, false, "–"},
		{"NMI", &Value{Mean: nan}, false, "–"},
		{"NMI", &Value{Mean: 0.9415}, false, "0.942"},
		{"NMI", &Value{Mean: 0.9}, true, "0.90"},
		{"ARI", &Value{Mean: 0.91, Std: std(0.02)}, true, "0.91 ± 0.02"},
		{"ARI", &Value{Mean: 0.9051, Std: std(0.0049)}, false, "0.905 ± 0.005"},
		{"ARI", &Value{Mean: 0.9051, Std: &nan}, false, "0.905"},
		{"ARI", &Value{Mean: -0.0123}, false, "-0.012"},
		{"MC", &Value{Mean: 41.1, Std: std(19.8)}, true, "41.1 ± 19.8"},
		{"MC_eps", &Value{Mean: 3.68}, false, "3.7"},
		{"MC_eps", &Value{Mean: 0.0474}, false, "0.047"}, // two digits that are not zero
		{"MC", &Value{Mean: 0.0474, Std: std(2)}, false, "0.0 ± 2.0"},
		{"MC", &Value{Mean: 0.0474}, true, "0.0"}, // as printed
		{"KL", &Value{Mean: 0.00123}, false, "0.0012"},
		{"KL", &Value{Mean: 1.44e-5}, false, "1.4e-05"},
		{"KL", &Value{}, false, "0.000"},
		{"MC", &Value{Mean: 999.94}, false, "999.9"},
		{"MC", &Value{Mean: 999.96}, false, "1,000"},
		{"MC", &Value{Mean: 12345.6, Std: std(78.9)}, false, "12,346 ± 79"},
		{"MC", &Value{Mean: 800, Std: std(1234.5)}, false, "800 ± 1,234"}, // 1234.5 is exact, so it rounds to even
		{"MC", &Value{Mean: 1234567, Std: std(890)}, false, "1.23e+06 ± 8.90e+02"},
		{"MC", &Value{Mean: math.Inf(1)}, false, "inf"},
		{"SDPP", &Value{Mean: 0.4321}, false, "0.432"},
		{"K", &Value{Mean: 7}, false, "7"},
		{"K", &Value{Mean: 7.25}, false, "7.250"},
	} {
		if got := FormatValue(c.metric, c.v, c.paper); got != c.want {
			t.Errorf("FormatValue(%s, %+v, %v) = %q, want %q", c.metric, c.v, c.paper, got, c.want)
		}
	}
}

func TestFormatDifference(t *testing.T) {
	for _, c := range []struct {
		metric      string
		paper, ours *Value
		want        string
	}{
		{"NMI", &Value{Mean: 0.93}, &Value{Mean: 0.9415}, "+0.011"}, // 0.0115 in binary is 0.01149…
		{"NMI", &Value{Mean: 0.93}, &Value{Mean: 0.9}, "-0.030"},
		{"NMI", &Value{Mean: 0.93}, &Value{Mean: 0.9299}, "0.000"},
		{"MC", &Value{Mean: 0.05}, &Value{Mean: 0.0474}, "-0.003"},
		{"NMI", nil, &Value{Mean: 0.9}, "–"},
		{"NMI", &Value{Mean: 0.93}, nil, "–"},
		{"NMI", &Value{Mean: 0.93}, &Value{Mean: math.NaN()}, "–"},
		{"MC", &Value{Mean: 41.1}, &Value{Mean: 6.3}, "-34.8"},
		{"MC", &Value{Mean: 41.1}, &Value{Mean: 2041.1}, "+2,000"},
		{"MC", &Value{Mean: 41.1}, &Value{Mean: math.Inf(1)}, "+inf"},
	} {
		if got := FormatDifference(&Cell{Metric: c.metric, Paper: c.paper, Ours: c.ours}); got != c.want {
			t.Errorf("%s: difference of %+v and %+v is %q, want %q", c.metric, c.ours, c.paper, got, c.want)
		}
	}
}
