package models

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// shaped are the points of a set in units of its own spread, with the coordinates that it has alone.
func (l *Literal) shaped(points [][]float64) [][]float64 {
	z := make([][]float64, len(points))
	for j := range l.config.Dim {
		column := make([]float64, len(points))
		for i, x := range points {
			column[i] = x[j]
		}
		mean, spread := stat.PopMeanStdDev(column, nil)
		if spread <= leastSpread {
			continue
		}
		for i, v := range column {
			z[i] = append(z[i], (v-mean)/spread)
		}
	}
	return z
}

// shapeEnergies are what d reads of a cluster, and what g reads of the families.
func (l *Literal) shapeEnergies(z [][]float64) (numbers, beside []float64) {
	n, best, total := float64(len(z)), math.Inf(-1), 0.0
	var logM, weighed []float64
	for _, fraction := range shapeFractions {
		full := min(l.config.fullAxes(), len(z[0]))
		rest := 0.0
		for j := full; j < len(z[0]); j++ {
			rest += logMarginal(z, j, j+1, fraction)
		}
		diagonal := rest
		for j := range full {
			diagonal += logMarginal(z, j, j+1, fraction)
		}
		logM = append(logM, logMarginal(z, 0, full, fraction)+rest, diagonal)
	}
	for j, w := range l.params["g.families.weight"].Data {
		weighed = append(weighed, logM[j]+float64(w))
		best = max(best, weighed[j])
	}
	for j, m := range logM {
		total += math.Exp(weighed[j] - best)
		beside = append(beside, max((m-best)/logEach, -5))
	}
	return []float64{-best - math.Log(total), (n-0.5)*math.Log(n) - n, math.Log(n), 1 / n, 1}, beside
}

// logMarginal is log m of the coordinates from..to−1 of points at a fraction, up to −n·p·log(π)/2, by the scatter about
// the mean and a factorization.
func logMarginal(z [][]float64, from, to int, fraction float64) float64 {
	n, p := float64(len(z)), float64(to-from)
	mean := make([]float64, to-from)
	for _, x := range z {
		for j := range mean {
			mean[j] += x[from+j] / n
		}
	}
	psi := mat.NewSymDense(to-from, nil)
	for a := range mean {
		for b := a; b < len(mean); b++ {
			v := fraction * n / (fraction + n) * mean[a] * mean[b]
			for _, x := range z {
				v += (x[from+a] - mean[a]) * (x[from+b] - mean[b])
			}
			if a == b {
				v += fraction
			}
			psi.SetSym(a, b, v)
		}
	}
	var factor mat.Cholesky
	factor.Factorize(psi)
	logGammas := func(x float64) (sum float64) {
		for i := range mean {
			v, _ := math.Lgamma(x - float64(i)/2)
			sum += v
		}
		return sum
	}
	start, end := p+2, p+2+n
	return logGammas(end/2) - logGammas(start/2) + start/2*p*math.Log(fraction) - end/2*factor.LogDet() +
		p/2*math.Log(fraction/(fraction+n))
}
