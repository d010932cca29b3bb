package attention_test

import (
	"math"

	"github.com/gfncp/gfncp/models"
)

// The blocks as the article writes them, in float64 and plain loops: the reference of the graph forms.

// matrix is a list of rows.
type matrix [][]float64

// rowsOf reads a weight or data, row-major, of rows of the given width.
func rowsOf(data []float32, width int) matrix {
	m := make(matrix, len(data)/width)
	for i := range m {
		m[i] = make([]float64, width)
		for j := range width {
			m[i][j] = float64(data[i*width+j])
		}
	}
	return m
}

// linear is x·w + b with weight p[0] and bias p[1].
func linear(x matrix, p models.Params) matrix {
	w := rowsOf(p[0].Data, p[0].Shape[1])
	y := make(matrix, len(x))
	for i := range x {
		y[i] = make([]float64, len(w[0]))
		for j := range y[i] {
			y[i][j] = float64(p[1].Data[j])
			for k, v := range x[i] {
				y[i][j] += v * w[k][j]
			}
		}
	}
	return y
}

// attend returns softmax(q·kᵀ/√W)·v over the columns from..to-1 and the keys that valid allows; zero if none is.
func attend(q []float64, k, v matrix, valid []bool, from, to int) []float64 {
	out, total := make([]float64, to-from), 0.0
	for n := range k {
		if valid != nil && !valid[n] {
			continue
		}
		var score float64
		for j := from; j < to; j++ {
			score += q[j] * k[n][j]
		}
		weight := math.Exp(score / math.Sqrt(float64(len(q))))
		total += weight
		for j := range out {
			out[j] += weight * v[n][from+j]
		}
	}
	if total > 0 {
		for j := range out {
			out[j] /= total
		}
	}
	return out
}

func refMAB(p models.Params, heads int, x, y matrix, valid []bool) matrix {
	q, k, v := linear(x, p[0:]), linear(y, p[2:]), linear(y, p[4:])
	o := make(matrix, len(q))
	for i := range q {
		part := len(q[i]) / heads
		for h := range heads {
			for j, a := range attend(q[i], k, v, valid, h*part, (h+1)*part) {
				o[i] = append(o[i], q[i][h*part+j]+a)
			}
		}
	}
	for i, row := range linear(o, p[6:]) {
		for j, r := range row {
			o[i][j] += math.Max(0, r)
		}
	}
	return o
}

func refISAB(p models.Params, heads int, x matrix, valid []bool) matrix {
	inducing := rowsOf(p[0].Data, p[0].Shape[1])
	return refMAB(p[9:], heads, x, refMAB(p[1:9], heads, inducing, x, valid), nil)
}

func refPMA(p models.Params, heads int, x matrix, valid []bool) matrix {
	return refMAB(p[1:], heads, rowsOf(p[0].Data, p[0].Shape[1]), x, valid)
}
