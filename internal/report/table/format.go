package table

import (
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gfncp/gfncp/internal/text"
)

// Numbers have no decimals from largeFrom on. They have an exponent from scientificFrom on, and below smallBelow unless
// they are zero. largeFrom is below 1000 so that 999.96 does not print as "1000.0".
const (
	largeFrom      = 999.95
	scientificFrom = 1e6
	smallBelow     = 1e-4
)

// FormatValue writes v as "mean ± std" (or "mean" when the deviation is not known) in the digits of its metric:
//
//	MC, MC_eps …         1 digit
//	K, where whole       none
//	NMI, ARI, all others 3 digits, or 2 for the paper's values, as they are printed there
//	from 1000 on         integers with separators; from 1e6 on, two digits and an exponent
//
// A small number of ours gets as many more digits as it needs to show two significant ones. Mean and deviation share
// the style of the larger. nil and NaN give "–".
func FormatValue(metric string, v *Value, paper bool) string {
	if v == nil || math.IsNaN(v.Mean) {
		return text.Dash
	}
	largest, hasSpread := math.Abs(v.Mean), v.Std != nil && !math.IsNaN(*v.Std)
	if hasSpread {
		largest = max(largest, math.Abs(*v.Std))
	}
	d := decimals(metric, largest, paper)
	mean := formatNumber(v.Mean, largest, d)
	if !hasSpread {
		return mean
	}
	return mean + " ± " + formatNumber(*v.Std, largest, d)
}

// decimals is the number of digits behind the point for values of a metric below 1000, given the largest value.
func decimals(metric string, largest float64, paper bool) int {
	fixed := 3
	switch {
	case strings.HasPrefix(metric, "MC"):
		fixed = 1
	case metric == "K" && largest == math.Trunc(largest):
		fixed = 0
	case paper:
		fixed = 2
	}
	if paper || !(largest >= smallBelow) || largest >= 1 {
		return fixed
	}
	return max(fixed, 1-int(math.Floor(math.Log10(largest))))
}

// formatNumber writes x in the style that suits a number of the size largest.
func formatNumber(x, largest float64, decimals int) string {
	switch {
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case largest >= scientificFrom:
		return strconv.FormatFloat(x, 'e', 2, 64)
	case largest >= largeFrom:
		return humanize.Comma(int64(math.RoundToEven(x)))
	case largest > 0 && largest < smallBelow:
		return strconv.FormatFloat(x, 'e', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', decimals, 64)
	}
}
