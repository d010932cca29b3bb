package plot

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"github.com/gfncp/gfncp/internal/text"
)

// evenTicks marks an axis at multiples of 1, 2 or 5 times a power of ten, all with labels.
type evenTicks struct{}

// tickTarget is about how many marks an axis gets.
const tickTarget = 7

// Ticks returns the marks between lo and hi (plot.Ticker).
func (evenTicks) Ticks(lo, hi float64) []plot.Tick {
	raw := (hi - lo) / tickTarget
	if !(raw > 0) || math.IsInf(raw, 0) {
		return []plot.Tick{{Value: lo, Label: strconv.FormatFloat(lo, 'g', 6, 64)}}
	}
	step := roundedUp(raw, 0)
	const slack = 1e-9 // a mark at the very end must not fall to rounding
	first, last := math.Ceil(lo/step-slack), math.Floor(hi/step+slack)
	var ticks []plot.Tick
	for k := 0.0; first+k <= last && k <= 2*tickTarget; k++ {
		v := (first + k) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: tickLabel(v, step)})
	}
	return ticks
}

// roundedUp is the next of 1, 2 and 5 times a power of ten, with slack for a share that is lost to rounding.
func roundedUp(v, slack float64) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(v))))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*unit*(1+slack) {
			return m * unit
		}
	}
	return 10 * unit
}

// tickLabel writes v with as many decimals as the step between marks needs.
func tickLabel(v, step float64) string {
	if size := max(math.Abs(v), step); size >= 1e7 || step < 1e-4 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	s := strconv.FormatFloat(v, 'f', max(0, -int(math.Floor(math.Log10(step)+1e-9))), 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// logTicks marks the decades and what lies between; labels stand at the decades, below two decades also at 2 and 5. A
// range too narrow for that is marked linearly.
type logTicks struct{}

// Ticks returns the marks between min and max, both positive.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi / lo)
	every := max(1, int(math.Ceil(decades/10))) // at most about ten labels
	var ticks []plot.Tick
	labels := 0
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		for m := 1; m < 10; m++ {
			v, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", m, e), 64)
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			fine := decades < 0.7 || decades < 2 && (m == 2 || m == 5)
			if m == 1 && e%every == 0 || fine {
				t.Label = strconv.FormatFloat(v, 'g', 4, 64)
				labels++
			}
			ticks = append(ticks, t)
		}
	}
	if labels < 2 { // a range too narrow for round multiples
		return evenTicks{}.Ticks(lo, hi)
	}
	return ticks
}

// sizeTicks are logTicks with whole numbers written out.
type sizeTicks struct{ logTicks }

// Ticks returns the marks between lo and hi, both positive.
func (s sizeTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := s.logTicks.Ticks(lo, hi)
	for i, t := range ticks {
		if t.Label != "" && t.Value >= 1 {
			ticks[i].Label = text.Group(strconv.FormatFloat(t.Value, 'f', 0, 64))
		}
	}
	return ticks
}
