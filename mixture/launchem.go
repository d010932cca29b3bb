package mixture

import "math"

// maximize fits both sides to the shares.
func (l *launch) maximize(g *gatherer, rows []int32, diagonal bool) {
	n := len(rows)
	weights := l.weights[:n]
	for s := range l.sides {
		side, total := &l.sides[s], 0.0
		for k, w := range g.weights {
			r := sideShare(l.share[k], s == 0)
			total += r * l.rows.count(rows[k])
			weights[k] = r * w
		}
		if diagonal {
			diagonalMoments(g.columns, weights, side.mean, l.matrix)
		} else {
			g.moments(weights, side.mean, l.matrix)
		}
		l.setFactor(side, l.matrix, total, diagonal, false)
		side.logWeight = math.Log((total+0.5)/(float64(n)+1)) + side.halfLog
		l.fitLevels(side, rows, s == 0, total)
	}
}

// diagonalMoments is moments with the diagonal of the scatter alone.
func diagonalMoments(columns [][]float64, weights, mean, scatterOut []float64) {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	for d, column := range columns {
		m, sum := dot(weights, column)/max(total, math.SmallestNonzeroFloat64), 0.0
		for i, x := range column {
			x -= m
			sum += weights[i] * x * x
		}
		mean[d], scatterOut[d*len(columns)+d] = m, sum
	}
}

// fitLevels estimates the category probabilities of a side of total rows.
func (l *launch) fitLevels(s *side, rows []int32, left bool, total float64) {
	if len(l.counts) == 0 {
		return
	}
	for i := range l.counts {
		l.counts[i] = 1
	}
	first := l.rows.first
	for q, codes := range l.rows.codes {
		counts := l.counts[first[q]:first[q+1]]
		for k, row := range rows {
			if code := codes[row]; code >= 0 {
				counts[code] += sideShare(l.share[k], left) * l.rows.count(row)
			}
		}
		for i, count := range counts {
			s.logLevel[first[q]+i] = math.Log(count / (total + float64(len(counts))))
		}
	}
}

// expect computes the shares of the left side.
func (l *launch) expect(g *gatherer, rows []int32) {
	n := len(rows)
	for s := range l.sides {
		l.sides[s].distances(g.columns, l.dists[s][:n])
	}
	a, b := l.dists[0][:n], l.dists[1][:n]
	odds := l.sides[1].logWeight - l.sides[0].logWeight
	for k, w := range g.weights {
		a[k] = odds*l.rows.count(rows[k]) + 0.5*w*(a[k]-b[k])
	}
	for q, codes := range l.rows.codes {
		left := l.sides[0].logLevel[l.rows.first[q]:l.rows.first[q+1]]
		right := l.sides[1].logLevel[l.rows.first[q]:l.rows.first[q+1]]
		for k, row := range rows {
			if code := codes[row]; code >= 0 {
				a[k] += (right[code] - left[code]) * l.rows.count(row)
			}
		}
	}
	for k, x := range a {
		l.share[k] = 1 / (1 + math.Exp(min(x, 500)))
	}
}
