package table

import (
	"math"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// largeFrom and scientificFrom are where numbers lose their decimals and where they get an exponent. The first is
// half a unit below 1000 so that 999.96 does not print as "1000.0".
const (
	largeFrom      = 999.95
	scientificFrom = 1e6
)

// FormatValue writes v as "mean ± std" (or "mean" when the deviation is not known) in the digits of its metric:
//
//	MC, MC_eps …         1 digit
//	NMI, ARI, all others 3 digits, or 2 for the paper's values, as they are printed there
//	from 1000 on         integers with separators; from 1e6 on, two digits and an exponent
//
// Mean and deviation share the style of the larger. nil and NaN give "–".
func FormatValue(metric string, v *Value, paper bool) string {
	if v == nil || math.IsNaN(v.Mean) {
		return text.Dash
	}
	if v.Std == nil || math.IsNaN(*v.Std) {
		return FormatNumber(v.Mean, v.Mean, decimals(metric, paper))
	}
	largest := max(math.Abs(v.Mean), math.Abs(*v.Std))
	d := decimals(metric, paper)
	return FormatNumber(v.Mean, largest, d) + " ± " + FormatNumber(*v.Std, largest, d)
}

// FormatDifference writes ours − paper with its sign, in the digits of our values. What rounds to zero has no sign;
// an unknown difference is "–".
func FormatDifference(c *Cell) string {
	d, ok := c.Difference()
	if !ok {
		return text.Dash
	}
	s := FormatNumber(d, d, decimals(c.Metric, false))
	if isZero(s) {
		return strings.TrimPrefix(s, "-")
	}
	if d > 0 {
		return "+" + s
	}
	return s
}

// isZero reports whether a formatted number shows nothing but zeros.
func isZero(s string) bool { return strings.Trim(s, "-0.") == "" }

// decimals is the number of digits behind the point for values of a metric below 1000.
func decimals(metric string, paper bool) int {
	switch {
	case strings.HasPrefix(metric, "MC"):
		return 1
	case paper:
		return 2
	default:
		return 3
	}
}

// FormatNumber writes x in the style that suits a number of size |largest|.
func FormatNumber(x, largest float64, decimals int) string {
	switch largest = math.Abs(largest); {
	case math.IsNaN(x):
		return text.Dash
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case largest >= scientificFrom:
		return strconv.FormatFloat(x, 'e', 2, 64)
	case largest >= largeFrom:
		return text.Group(strconv.FormatFloat(x, 'f', 0, 64))
	default:
		return strconv.FormatFloat(x, 'f', decimals, 64)
	}
}

// formatSeconds writes a duration: one digit below 10 s, whole seconds above; 0 and NaN mean not known.
func formatSeconds(s float64) string {
	switch {
	case s == 0 || math.IsNaN(s):
		return text.Dash
	case s < 9.95:
		return strconv.FormatFloat(s, 'f', 1, 64)
	default:
		return FormatNumber(s, max(s, largeFrom), 0)
	}
}
