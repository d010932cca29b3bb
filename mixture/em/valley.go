package em

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

const ridgePoints = 21 // of the ridge between two centres

// Valley returns the least density of the mixture on the ridge between the centres of a and b, divided by the density
// at the less dense end. Without a valley it returns 1. Components with other categories than a and b count less.
func (m *EM) Valley(a, b int) float64 {
	at := m.ridge(a, b)
	logs, distances := make([][]float64, ridgePoints), make([]float64, ridgePoints)
	law := &m.Tails[m.Dim()]
	for k := range m.Components {
		to := &m.Components[k]
		to.Distances(at, 0, distances)
		base := to.LogWeight + to.HalfLog + floats.LogSumExp([]float64{m.likeness(a, k), m.likeness(b, k)})
		for i, d := range distances {
			logs[i] = append(logs[i], base+law.Log(d))
		}
	}
	heights := distances
	for i, components := range logs {
		heights[i] = floats.LogSumExp(components)
	}
	return math.Exp(floats.Min(heights) - min(heights[0], heights[ridgePoints-1]))
}

// likeness returns the log probability that a row of a and a row of k agree in all categories.
func (m *EM) likeness(a, k int) (sum float64) {
	for q := range m.Variables() {
		first, last := m.First[q], m.First[q+1]
		same := 0.0
		for l := first; l < last; l++ {
			same += math.Exp(m.Components[a].LogLevel[l] + m.Components[k].LogLevel[l])
		}
		sum += math.Log(same)
	}
	return sum
}

// ridge returns points [D][ridgePoints] from the centre of a to the centre of b, on the curve that holds all extrema of
// any mixture of a and b.
func (m *EM) ridge(a, b int) [][]float64 {
	dim, from, to := m.Dim(), &m.Components[a], &m.Components[b]
	out, precisions, both := Grid(dim, ridgePoints), Grid(2, dim*dim), make([]float64, dim*dim)
	point, pull := make([]float64, dim), make([]float64, dim)
	AddProduct(precisions[0], 1, General(from.Factor, dim))
	AddProduct(precisions[1], 1, General(to.Factor, dim))
	blas64.Symv(1, symmetric(precisions[1], dim), Vector(floats.SubTo(point, to.Mean, from.Mean)), 0, Vector(pull))
	for i := range ridgePoints {
		t := float64(i) / (ridgePoints - 1)
		floats.ScaleTo(both, 1-t, precisions[0])
		floats.AddScaled(both, t, precisions[1])
		floats.ScaleTo(point, t, pull)
		Cholesky(both, both, dim)
		SolveLower(both, point)
		SolveLowerTransposed(both, point)
		for d, x := range point {
			out[d][i] = from.Mean[d] + x
		}
	}
	return out
}
