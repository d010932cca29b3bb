package layers

import (
	"fmt"
	"math"
	"testing"
)

// wave gives n values in −1..1 without pattern.
func wave(n int, seed float64) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.Sin(seed + 1.7*float64(i*i+1)))
	}
	return values
}

// plain is the network in float64, and the size of the largest number on the way.
func plain(widths []int, ws, bs [][]float32, x []float32) []float64 {
	row := make([]float64, len(x))
	for i, v := range x {
		row[i] = float64(v)
	}
	for l, w := range ws {
		out := widths[l+1]
		next := make([]float64, out)
		for o := range out {
			if bs[l] != nil {
				next[o] = float64(bs[l][o])
			}
			for i, v := range row {
				next[o] += v * float64(w[i*out+o])
			}
			if l < len(ws)-1 {
				next[o] = math.Max(next[o], 0)
			}
		}
		row = next
	}
	return row
}

// network has weights of about unit gain.
func network(widths []int, lastBias bool) (n Net, ws, bs [][]float32) {
	for l := range widths[1:] {
		in, out := widths[l], widths[l+1]
		w := wave(in*out, float64(l))
		for i := range w {
			w[i] *= float32(2 / math.Sqrt(float64(in)))
		}
		b := wave(out, float64(l)+0.5)
		if l == len(widths)-2 && !lastBias {
			b = nil
		}
		ws, bs, n = append(ws, w), append(bs, b), append(n, New(w, b, in, out))
	}
	return n, ws, bs
}

// Networks equal plain loops in float64, whatever their widths are; a row's numbers depend on no other row, and memory
// that was used before changes nothing.
func TestNetEqualsPlainLoops(t *testing.T) {
	var s Scratch
	for _, widths := range [][]int{{128, 128, 128, 1}, {1, 1}, {3, 5, 2}, {66, 64, 65, 130}, {7, 33}, {256, 256, 1}} {
		for _, lastBias := range []bool{true, false} {
			n, ws, bs := network(widths, lastBias)
			in, out := widths[0], widths[len(widths)-1]
			alone := map[int][]float32{}
			for _, rows := range []int{1, 2, 3, 7, 64} {
				x := s.In(n, rows, in, nil)
				for i := range rows {
					copy(x.Of(i), wave(in, float64(10+i)))
				}
				y := s.Run(n, x, rows)
				for i := range rows {
					got := y.Of(i)[:out]
					for o, want := range plain(widths, ws, bs, wave(in, float64(10+i))) {
						if math.Abs(float64(got[o])-want) > 2e-5*math.Max(1, math.Abs(want)) {
							t.Fatalf("%v, row %d of %d: output %d is %g, want %g", widths, i, rows, o, got[o], want)
						}
					}
					if alone[i] == nil {
						alone[i] = append([]float32{}, got...)
					}
					if fmt.Sprint(alone[i]) != fmt.Sprint(got) {
						t.Fatalf("%v: row %d is another one among %d", widths, i, rows)
					}
				}
			}
		}
	}
}

// What is no number, or no finite one, comes out as none: no ReLU hides it.
func TestNotFiniteStays(t *testing.T) {
	n, _, _ := network([]int{16, 16, 1}, true)
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		var s Scratch
		for _, rows := range []int{1, 2} {
			x := s.In(n, rows, 16, nil)
			copy(x.Of(rows-1), wave(16, 3))
			x.Of(rows - 1)[5] = bad
			if y := s.Run(n, x, rows).Of(rows - 1)[0]; y-y == 0 {
				t.Errorf("of %g comes %g", bad, y)
			}
		}
		y := make([]float32, 17)
		x := append(make([]float32, 16), bad)
		x[3] = bad
		AddReLU(y, x, make([]float32, 17))
		for _, i := range []int{3, 16} {
			if bad != float32(math.Inf(-1)) && y[i]-y[i] == 0 {
				t.Errorf("AddReLU of %g is %g", bad, y[i])
			}
		}
	}
}

// AddReLU is max(x + b, 0).
func TestAddReLU(t *testing.T) {
	for _, n := range []int{0, 1, 15, 64, 130} {
		x, b, y := wave(n, 1), wave(n, 2), make([]float32, n)
		AddReLU(y, x, b)
		for i := range y {
			if y[i] != max(x[i]+b[i], 0) {
				t.Fatalf("%d values: max(%g + %g, 0) = %g", n, x[i], b[i], y[i])
			}
		}
	}
}
