package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// structured reports whether a column has several humps, or a value far from all others.
func (n *number) structured(t Table) bool {
	column := n.encode(t, true)
	return bimodal(column) || parted(column) || len(farValues(t.column(n.Column), farAlone)) > 0
}

// parted reports whether a column is two Gaussians with a deep valley between them rather than one. It finds small
// groups, which are no bimodal column. One in twenty columns with one hump is parted by chance, or fewer.
func parted(column []float64) bool {
	const gain, deep = 10, 0.15 // least gain of the log-likelihood; most density in the valley
	values := sorted(column)
	at, found := bestSplit(values)
	if found < gain {
		return false
	}
	labels := make([]int32, len(values))
	for i := range values[:at] {
		labels[i] = 1
	}
	m := fitEM(&rows{n: len(values), columns: [][]float64{values}, first: []int{0}}, labels, 2, math.Inf(1))
	return m.valley(0, 1) < deep
}

// bestSplit returns how many of rising values are in the lower one of two groups, so that two Gaussians explain the
// groups best, and the log-likelihood that they gain over one Gaussian of all values.
func bestSplit(values []float64) (at int, gain float64) {
	const fewest, narrowest = 4, 0.01 // values of a group; its variance, of all values' variance
	n := len(values)
	sums, squares := make([]float64, n+1), make([]float64, n+1)
	for i, x := range values {
		sums[i+1], squares[i+1] = sums[i]+x, squares[i]+x*x
	}
	log := func(lo, hi int, least float64) (log, variance float64) {
		size := float64(hi - lo)
		mean := (sums[hi] - sums[lo]) / size
		variance = max((squares[hi]-squares[lo])/size-mean*mean, least)
		return size * (math.Log(size/float64(n)) - 0.5*math.Log(variance)), variance
	}
	one, variance := log(0, n, math.SmallestNonzeroFloat64)
	for i := fewest; i <= n-fewest; i++ {
		lower, _ := log(0, i, narrowest*variance)
		upper, _ := log(i, n, narrowest*variance)
		if lower+upper-one > gain {
			at, gain = i, lower+upper-one
		}
	}
	return at, gain
}

// bimodal reports whether a column has several humps, by Hartigan & Hartigan's dip test: by the distance of its
// distribution function from functions that are convex up to some value and concave from there on. About one in twenty
// uniform columns is bimodal by chance.
func bimodal(column []float64) bool {
	const modes, critical = 40, 0.85
	values := sorted(column)
	mirrored := slices.Clone(values)
	slices.Reverse(mirrored)
	floats.Scale(-1, mirrored)
	least := math.Inf(1)
	for m := range modes {
		at := m * len(values) / modes
		least = min(least, max(fromConvex(values[:at+1]), fromConvex(mirrored[:len(values)-at])))
	}
	return least > critical*math.Sqrt(float64(len(values)))
}

// fromConvex returns the largest distance between the counts of rising values and their greatest convex minorant.
func fromConvex(values []float64) (largest float64) {
	var hull []int
	for i, x := range values {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if float64(b-a)*(x-values[a]) < float64(i-a)*(values[b]-values[a]) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	for k := 1; k < len(hull); k++ {
		a, b := hull[k-1], hull[k]
		for i := a; i < b; i++ {
			share := (values[i] - values[a]) / max(values[b]-values[a], math.SmallestNonzeroFloat64)
			largest = max(largest, float64(i-a)-share*float64(b-a))
		}
	}
	return largest
}
