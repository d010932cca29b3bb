package engine

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
)

// prefixLoss is Σ v·Times(mask, x) by a plain loop in float64, and the sums y themselves.
func prefixLoss(mask, x, v []float64, b, n, d int) (loss float64, y []float64) {
	y = make([]float64, b*n*d)
	for set := range b {
		for to := range n {
			for from := range n {
				for j := range d {
					y[(set*n+to)*d+j] += mask[(set*n+to)*n+from] * x[(set*n+from)*d+j]
				}
			}
		}
	}
	for i := range y {
		loss += v[i] * y[i]
	}
	return loss, y
}

// centralDifferences is the gradient of loss by values.
func centralDifferences(values []float64, loss func() float64) []float64 {
	const step = 1e-3
	gradient := make([]float64, len(values))
	for i, at := range values {
		values[i] = at + step
		up := loss()
		values[i] = at - step
		gradient[i] = (up - loss()) / (2 * step)
		values[i] = at
	}
	return gradient
}

// Times with a mask equals a plain loop, and its gradients equal central differences of that loop.
func TestTimesSumsByMask(t *testing.T) {
	const b, n, d = 3, 5, 4
	mask32, x32, v32 := wave(b*n*n, 1), wave(b*n*d, 2), wave(b*n*d, 3)
	for i := range mask32 { // zeros, ones and other weights
		if mask32[i] < 0 {
			mask32[i] = float32(i % 2)
		}
	}
	mask, x, v := wide(mask32), wide(x32), wide(v32)
	got := callOnce(t, func(in []*graph.Node) []*graph.Node {
		y := Times(in[0], in[1])
		return append([]*graph.Node{y}, graph.Gradient(weighted(y, in[2]), in[0], in[1])...)
	}, matrix(mask32, b, n, n), matrix(x32, b, n, d), matrix(v32, b, n, d))
	_, y := prefixLoss(mask, x, v, b, n, d)
	loss := func() float64 { l, _ := prefixLoss(mask, x, v, b, n, d); return l }
	assertClose(t, "y", got[0], y, 1e-5)
	assertClose(t, "dmask", got[1], centralDifferences(mask, loss), 1e-5)
	assertClose(t, "dx", got[2], centralDifferences(x, loss), 1e-5)
}

// With the masks, Times gives exclusive cumulative sums from either end.
func TestBeforeAndAfter(t *testing.T) {
	const b, n = 2, 4
	got := callOnce(t, func(in []*graph.Node) []*graph.Node {
		before, after := Before(in[0], b, n), After(in[0], b, n)
		return []*graph.Node{before, after, Times(before, in[0]), Times(after, in[0])}
	}, matrix([]float32{1, 2, 4, 8, 3, 9, 27, 81}, b, n, 1))
	before := []float64{0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0}
	after := []float64{0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}
	assertClose(t, "Before", got[0], append(before, before...), 0)
	assertClose(t, "After", got[1], append(after, after...), 0)
	assertClose(t, "sums before", got[2], []float64{0, 1, 3, 7, 0, 3, 12, 39}, 0)
	assertClose(t, "sums after", got[3], []float64{14, 12, 8, 0, 117, 108, 81, 0}, 0)
}

// A masked point has no influence, whatever finite value it has.
func TestMasksAreExact(t *testing.T) {
	const huge = math.MaxFloat32
	got := callOnce(t, func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{Times(Before(in[0], 1, 3), in[0])}
	}, matrix([]float32{1, 2, huge}, 1, 3, 1))
	assertClose(t, "sums", got[0], []float64{0, 1, 3}, 0)
}
