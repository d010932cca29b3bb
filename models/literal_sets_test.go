package models

import (
	"fmt"
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

// attended are points with what they make of each other by the blocks of attention: see Folded.attend.
func (l *Literal) attended(points [][]float64) (read [][]float64) {
	e := make([][]float64, len(points))
	inputs := l.attentionInputs(points)
	for i, in := range inputs {
		e[i] = l.network("a", in)
	}
	for block := range l.config.Attention {
		e = l.attentionBlock(fmt.Sprintf("a.%d", block+1), e, points, inputs)
	}
	for i, x := range points {
		read = append(read, append(scaled(x, placeScale), rooted(e[i])...))
	}
	return read
}

// attentionInputs are x, z, N and p of points.
func (l *Literal) attentionInputs(points [][]float64) [][]float64 {
	d, n := l.config.Dim, float64(len(points))
	mean, spread := make([]float64, d), make([]float64, d)
	for _, x := range points {
		mean = add(mean, scaled(x, 1/n))
	}
	varying := 0.0
	for j := range d {
		for _, x := range points {
			spread[j] += (x[j] - mean[j]) * (x[j] - mean[j]) / n
		}
		if spread[j] = math.Sqrt(spread[j]); spread[j] > leastSpread {
			varying++
		}
	}
	var inputs [][]float64
	for _, x := range points {
		z := make([]float64, d)
		for j := range d {
			if spread[j] > leastSpread {
				z[j] = (x[j] - mean[j]) / spread[j]
			}
		}
		inputs = append(inputs, append(slices.Concat(scaled(x, placeScale), z), 0.2*math.Log(n), varying/float64(d)))
	}
	return inputs
}

// attentionBlock is one block on the points' e. inputs are those of attentionInputs.
func (l *Literal) attentionBlock(name string, e, points, inputs [][]float64) (next [][]float64) {
	d := l.config.Dim
	var queries, keys, values, sharp, whitened [][]float64
	for i, x := range e {
		r := rooted(x)
		queries, keys = append(queries, l.network(name+".query", r)), append(keys, l.network(name+".key", r))
		values = append(values, l.network(name+".value", slices.Concat(r, inputs[i][:2*d])))
		sharp, whitened = append(sharp, l.network(name+".sharp", r)), append(whitened, inputs[i][d:2*d])
	}
	part := l.config.Hidden / attentionHeads
	for i, x := range e {
		var heads []float64
		for head := range attentionHeads {
			at, y := head*part, points
			if head >= attentionHeads/2 {
				y = whitened
			}
			gamma := sharpness[head] * math.Exp(mostSharp*math.Tanh(sharp[i][head]/mostSharp))
			sum, total := make([]float64, part), 0.0
			for j, key := range keys {
				score := math.Log(kernel(y[i], y[j], 1/math.Sqrt(gamma)))
				for c := at; c < at+part; c++ {
					score += queries[i][c] * key[c] / math.Sqrt(float64(part))
				}
				weight := math.Exp(score)
				sum, total = add(sum, scaled(values[j][at:at+part], weight)), total+weight
			}
			heads = append(heads, scaled(sum, 1/total)...)
		}
		x = add(x, l.network(name+".output", heads))
		next = append(next, add(x, l.network(name+".feed", rooted(x))))
	}
	return next
}

// rooted is r(e).
func rooted(e []float64) []float64 {
	square := normFloor
	for _, v := range e {
		square += v * v / float64(len(e))
	}
	return scaled(e, 1/math.Sqrt(square))
}
