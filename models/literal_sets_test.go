package models

import (
	"math"
	"slices"
)

// looked are points with what they see, and with what v adds: see look and Folded.pool.
func (l *Literal) looked(points [][]float64) (seen, pooled [][]float64) {
	for _, p := range points {
		seen = append(seen, append(slices.Clone(p), seenFrom(p, points)...))
	}
	d := l.config.Dim
	rest := func(x []float64) []float64 { return x[d*(1+pooledAt) : d*(2+pooledAt)] }
	for _, x := range seen {
		sum, total := make([]float64, l.config.Hidden), ownWeight
		for _, other := range seen {
			in := add(scaled(rest(other), -1), other[:d])
			in = append(in, other[d*(1+len(shiftBandwidths)):]...)
			near := kernel(rest(x), rest(other), shiftBandwidths[pooledAt]/2)
			sum, total = add(sum, scaled(l.network("v", in), near)), total+near
		}
		read := scaled(x[:d], placeScale)
		for s := range shiftBandwidths {
			read = append(read, add(x[(s+1)*d:(s+2)*d], scaled(x[:d], -1))...)
		}
		read = append(read, x[d*(1+len(shiftBandwidths)):]...)
		pooled = append(pooled, append(read, scaled(sum, 1/total)...))
	}
	return seen, pooled
}

// seenFrom is what a point x [D] sees of the points of its set.
func seenFrom(x []float64, points [][]float64) []float64 {
	var rest, variances, here, there, shares []float64
	for _, s := range shiftBandwidths {
		at, count := x, 0.0
		var variance []float64
		for t := range shifts {
			sum, square, total := scaled(at, ownWeight), scaled(squared(at), ownWeight), ownWeight
			for _, p := range points {
				w := kernel(at, p, s)
				sum, square, total = add(sum, scaled(p, w)), add(square, scaled(squared(p), w)), total+w
			}
			at = scaled(sum, 1/total)
			variance = add(scaled(square, 1/total), scaled(squared(at), -1))
			if count = max(total-ownWeight, leastCount); t == 0 {
				here = append(here, math.Log(count))
			}
		}
		for _, v := range variance {
			variances = append(variances, math.Log(max(v, 0)+leastVariance))
		}
		rest, there, shares = append(rest, at...), append(there, math.Log(count)), append(shares, 1/count)
	}
	return slices.Concat(rest, variances, here, there, shares)
}

// kernel is exp(−|a − b|²/2s²).
func kernel(a, b []float64, s float64) float64 {
	square := 0.0
	for j, v := range a {
		square += (v - b[j]) * (v - b[j])
	}
	return math.Exp(-square / (2 * s * s))
}

func squared(x []float64) []float64 {
	y := make([]float64, len(x))
	for j, v := range x {
		y[j] = v * v
	}
	return y
}
