package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Summary returns the mean of values and their sample standard deviation (divisor n−1), the "mean ± std" of a table.
// One value has std 0. No values give NaN for both.
func Summary(values []float64) (mean, std float64) {
	switch len(values) {
	case 0:
		return math.NaN(), math.NaN()
	case 1:
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}
