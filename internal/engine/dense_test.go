package engine

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// wave gives n values in −1..1 without pattern: sin of the squares.
func wave(n int, seed float64) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.Sin(seed + 1.7*float64(i*i+1)))
	}
	return values
}

// assertClose compares element-wise: |got − want| ≤ tolerance·max(1, |want|).
func assertClose(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= tolerance*math.Max(1, math.Abs(w))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], w)
		}
	}
}

func wide(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// weighted is Σ y·v, whose gradient by y is v.
func weighted(y, v *graph.Node) *graph.Node { return graph.ReduceAllSum(graph.Mul(y, v)) }

// Dense and its gradients, against plain loops: y = x·w + b, ∂x = v·wᵀ, ∂w = xᵀ·v, ∂b = Σ_rows v.
func TestDenseEqualsPlainLoops(t *testing.T) {
	for _, size := range []struct{ m, in, out int }{{1, 1, 1}, {5, 3, 4}, {1, 7, 2}, {70, 33, 17}, {70, 33, 1}} {
		m, in, out := size.m, size.in, size.out
		x, w, b, v := wave(m*in, 1), wave(in*out, 2), wave(out, 3), wave(m*out, 4)
		y, dx, dw, db := make([]float64, m*out), make([]float64, m*in), make([]float64, in*out), make([]float64, out)
		for r := range m {
			for o := range out {
				y[r*out+o] = float64(b[o])
				vo := float64(v[r*out+o])
				db[o] += vo
				for i := range in {
					y[r*out+o] += float64(x[r*in+i]) * float64(w[i*out+o])
					dx[r*in+i] += vo * float64(w[i*out+o])
					dw[i*out+o] += float64(x[r*in+i]) * vo
				}
			}
		}
		args := []*tensors.Tensor{matrix(x, m, in), matrix(w, in, out), matrix(b, out), matrix(v, m, out)}
		got := callOnce(t, func(n []*graph.Node) []*graph.Node {
			y := Dense(n[0], n[1], n[2])
			return append([]*graph.Node{y}, graph.Gradient(weighted(y, n[3]), n[0], n[1], n[2])...)
		}, args...)
		for i, want := range [][]float64{y, dx, dw, db} {
			assertClose(t, []string{"y", "dx", "dw", "db"}[i], got[i], want, 1e-5)
		}
		for i := range y {
			y[i] -= float64(b[i%out])
		}
		got = callOnce(t, func(n []*graph.Node) []*graph.Node {
			y := Dense(n[0], n[1], nil)
			return append([]*graph.Node{y}, graph.Gradient(weighted(y, n[3]), n[0], n[1])...)
		}, args...)
		for i, want := range [][]float64{y, dx, dw} {
			assertClose(t, []string{"no bias: y", "no bias: dx", "no bias: dw"}[i], got[i], want, 1e-5)
		}
	}
}

// ReLU is max(x, 0) with gradient 1[x > 0]: none at 0.
func TestReLU(t *testing.T) {
	x := []float32{-2, -1e-30, float32(math.Copysign(0, -1)), 0, 1e-30, 3}
	got := callOnce(t, func(n []*graph.Node) []*graph.Node {
		y := ReLU(n[0])
		return []*graph.Node{y, graph.Gradient(weighted(y, n[1]), n[0])[0]}
	}, matrix(x, 6), matrix([]float32{1, 2, 3, 4, 5, 6}, 6))
	assertClose(t, "y", got[0], []float64{0, 0, 0, 0, float64(float32(1e-30)), 3}, 0)
	assertClose(t, "dx", got[1], []float64{0, 0, 0, 0, 5, 6}, 0)
}

// network is three layers, once tuned and once of GoMLX's own operations.
func network(tuned bool, x, w, b *graph.Node) *graph.Node {
	for range 3 {
		if tuned {
			x = ReLU(Dense(x, w, b))
			continue
		}
		x = graph.Add(graph.Dot(x, w).Product(), graph.InsertAxes(b, 0))
		x = graph.Max(x, graph.ScalarZero(x.Graph(), dtypes.Float32))
	}
	return x
}

// The tuned layers agree with GoMLX's general ones, in value and gradient, also where both are in one graph.
func TestTunedEqualsUntuned(t *testing.T) {
	const m, width = 37, 19
	args := []*tensors.Tensor{
		matrix(wave(m*width, 1), m, width), matrix(wave(width*width, 2), width, width),
		matrix(wave(width, 3), width), matrix(wave(m*width, 4), m, width),
	}
	build := func(ways ...bool) graphFunc {
		return func(n []*graph.Node) []*graph.Node {
			var out []*graph.Node
			for _, tuned := range ways {
				y := network(tuned, n[0], n[1], n[2])
				out = append(append(out, y), graph.Gradient(weighted(y, n[3]), n[0], n[1], n[2])...)
			}
			return out
		}
	}
	untuned, tuned := callOnce(t, build(false), args...), callOnce(t, build(true), args...)
	mixed := callOnce(t, build(true, false), args...)
	for i, name := range []string{"y", "dx", "dw", "db"} {
		assertClose(t, "tuned "+name, tuned[i], wide(untuned[i]), 1e-5)
		assertClose(t, "tuned beside untuned "+name, mixed[i], wide(untuned[i]), 1e-5)
		assertClose(t, "untuned beside tuned "+name, mixed[4+i], wide(untuned[i]), 1e-5)
	}
}

// The gradient of a larger value goes to the first where both are equal.
func TestLarger(t *testing.T) {
	got := callOnce(t, func(n []*graph.Node) []*graph.Node {
		y := Larger(n[0], n[1])
		return append([]*graph.Node{y}, graph.Gradient(weighted(y, n[2]), n[0], n[1])...)
	}, matrix([]float32{1, 5, -2}, 3), matrix([]float32{2, 5, -3}, 3), matrix([]float32{7, 8, 9}, 3))
	assertClose(t, "y", got[0], []float64{2, 5, -2}, 0)
	assertClose(t, "da", got[1], []float64{0, 8, 9}, 0)
	assertClose(t, "db", got[2], []float64{7, 0, 0}, 0)
}

// The replaced gradient formulas serve tuned nodes alone: Dot, Add and Max keep their general gradients in the cases
// that the tuned ones leave out, in a graph that has tuned nodes too.
func TestUntunedNodesKeepTheirGradients(t *testing.T) {
	const n = 3
	a, b := []float32{1, -2, 3}, []float32{1, 5, -1}
	got := callOnce(t, func(in []*graph.Node) []*graph.Node {
		a, b, square := in[0], in[1], in[2]
		tuned := graph.ReduceAllSum(ReLU(Dense(square, square, a)))
		vectors := graph.Dot(a, b).Product()                                   // rank 1
		larger := graph.ReduceAllSum(graph.Max(a, b))                          // two tensors, with a tie
		scalar := graph.ReduceAllSum(graph.Add(square, graph.ReduceAllSum(b))) // a scalar spread over a matrix
		batched := graph.ReduceAllSum(graph.DotGeneral(
			graph.InsertAxes(square, 0), []int{2}, []int{0}, graph.InsertAxes(square, 0), []int{1}, []int{0}))
		loss := graph.Add(graph.Add(vectors, larger), graph.Add(scalar, graph.Add(batched, graph.MulScalar(tuned, 0))))
		return graph.Gradient(loss, a, b, square)
	}, matrix(a, n), matrix(b, n), matrix([]float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, n, n))
	// ∂a: b + 1[a ≥ b] (GoMLX gives a tie to the first side); ∂b: a + 1[a < b] + 9 (a sum of b in each of nine
	// entries).
	assertClose(t, "da", got[0], []float64{1 + 1, 5 + 0, -1 + 1}, 1e-6)
	assertClose(t, "db", got[1], []float64{1 + 0 + 9, -2 + 1 + 9, 3 + 0 + 9}, 1e-6)
	// ∂square[i,j] of Σ S·S: row sum of row j + column sum of column i; and 1 from the scalar's Add.
	rows, columns := []float64{6, 15, 24}, []float64{12, 15, 18}
	want := make([]float64, n*n)
	for i := range n {
		for j := range n {
			want[i*n+j] = rows[j] + columns[i] + 1
		}
	}
	assertClose(t, "dsquare", got[2], want, 1e-6)
}
