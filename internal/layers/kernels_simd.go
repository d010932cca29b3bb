//go:build goexperiment.simd

package layers

import "simd"

// tileWidth is the number of columns that a kernel computes at a time: four vectors.
func tileWidth() int { return 4 * simd.BroadcastFloat32s(0).Len() }

// positive is v where it is not below 0, and 0 elsewhere. Max would turn a NaN into 0: the compiler takes its operands
// in either order.
func positive(v simd.Float32s) simd.Float32s {
	zero := simd.BroadcastFloat32s(0)
	return zero.IfElse(v.Less(zero), v)
}

// AddReLU is max(x + b, 0), written to y; all have one length.
func AddReLU(y, x, b []float32) {
	n := simd.BroadcastFloat32s(0).Len()
	i := 0
	for ; i+n <= len(y); i += n {
		positive(simd.LoadFloat32s(x[i:]).Add(simd.LoadFloat32s(b[i:]))).Store(y[i:])
	}
	for ; i < len(y); i++ {
		y[i] = max(x[i]+b[i], 0)
	}
}

// twoRows computes a tile of two rows: y = x·w + b, and its ReLU if asked. Each number is a sum in the order of x. NaN
// stays NaN. The compiler keeps eight sums in registers.
func twoRows(y0, y1, x0, x1, w, bias []float32, relu bool) {
	n := simd.BroadcastFloat32s(0).Len()
	a0, b0, c0, d0 := simd.LoadFloat32s(bias), simd.LoadFloat32s(bias[n:]), simd.LoadFloat32s(bias[2*n:]),
		simd.LoadFloat32s(bias[3*n:])
	a1, b1, c1, d1 := a0, b0, c0, d0
	for i := 0; i+3 < len(x0) && i+3 < len(x1); i += unrolled {
		p := w[:16*n]
		w = w[16*n:]
		l, r := simd.BroadcastFloat32s(x0[i]), simd.BroadcastFloat32s(x1[i])
		v := simd.LoadFloat32s(p)
		a0, a1 = v.MulAdd(l, a0), v.MulAdd(r, a1)
		v = simd.LoadFloat32s(p[n:])
		b0, b1 = v.MulAdd(l, b0), v.MulAdd(r, b1)
		v = simd.LoadFloat32s(p[2*n:])
		c0, c1 = v.MulAdd(l, c0), v.MulAdd(r, c1)
		v = simd.LoadFloat32s(p[3*n:])
		d0, d1 = v.MulAdd(l, d0), v.MulAdd(r, d1)

		l, r = simd.BroadcastFloat32s(x0[i+1]), simd.BroadcastFloat32s(x1[i+1])
		v = simd.LoadFloat32s(p[4*n:])
		a0, a1 = v.MulAdd(l, a0), v.MulAdd(r, a1)
		v = simd.LoadFloat32s(p[5*n:])
		b0, b1 = v.MulAdd(l, b0), v.MulAdd(r, b1)
		v = simd.LoadFloat32s(p[6*n:])
		c0, c1 = v.MulAdd(l, c0), v.MulAdd(r, c1)
		v = simd.LoadFloat32s(p[7*n:])
		d0, d1 = v.MulAdd(l, d0), v.MulAdd(r, d1)

		l, r = simd.BroadcastFloat32s(x0[i+2]), simd.BroadcastFloat32s(x1[i+2])
		v = simd.LoadFloat32s(p[8*n:])
		a0, a1 = v.MulAdd(l, a0), v.MulAdd(r, a1)
		v = simd.LoadFloat32s(p[9*n:])
		b0, b1 = v.MulAdd(l, b0), v.MulAdd(r, b1)
		v = simd.LoadFloat32s(p[10*n:])
		c0, c1 = v.MulAdd(l, c0), v.MulAdd(r, c1)
		v = simd.LoadFloat32s(p[11*n:])
		d0, d1 = v.MulAdd(l, d0), v.MulAdd(r, d1)

		l, r = simd.BroadcastFloat32s(x0[i+3]), simd.BroadcastFloat32s(x1[i+3])
		v = simd.LoadFloat32s(p[12*n:])
		a0, a1 = v.MulAdd(l, a0), v.MulAdd(r, a1)
		v = simd.LoadFloat32s(p[13*n:])
		b0, b1 = v.MulAdd(l, b0), v.MulAdd(r, b1)
		v = simd.LoadFloat32s(p[14*n:])
		c0, c1 = v.MulAdd(l, c0), v.MulAdd(r, c1)
		v = simd.LoadFloat32s(p[15*n:])
		d0, d1 = v.MulAdd(l, d0), v.MulAdd(r, d1)
	}
	if relu {
		a0, b0, c0, d0 = positive(a0), positive(b0), positive(c0), positive(d0)
		a1, b1, c1, d1 = positive(a1), positive(b1), positive(c1), positive(d1)
	}
	a0.Store(y0)
	b0.Store(y0[n:])
	c0.Store(y0[2*n:])
	d0.Store(y0[3*n:])
	a1.Store(y1)
	b1.Store(y1[n:])
	c1.Store(y1[2*n:])
	d1.Store(y1[3*n:])
}

// oneRow is twoRows of one row, and gives the same numbers.
func oneRow(y, x, w, bias []float32, relu bool) {
	n := simd.BroadcastFloat32s(0).Len()
	a, b, c, d := simd.LoadFloat32s(bias), simd.LoadFloat32s(bias[n:]), simd.LoadFloat32s(bias[2*n:]),
		simd.LoadFloat32s(bias[3*n:])
	for i := 0; i+1 < len(x); i += 2 {
		p := w[:8*n]
		w = w[8*n:]
		l := simd.BroadcastFloat32s(x[i])
		a, b = simd.LoadFloat32s(p).MulAdd(l, a), simd.LoadFloat32s(p[n:]).MulAdd(l, b)
		c, d = simd.LoadFloat32s(p[2*n:]).MulAdd(l, c), simd.LoadFloat32s(p[3*n:]).MulAdd(l, d)
		l = simd.BroadcastFloat32s(x[i+1])
		a, b = simd.LoadFloat32s(p[4*n:]).MulAdd(l, a), simd.LoadFloat32s(p[5*n:]).MulAdd(l, b)
		c, d = simd.LoadFloat32s(p[6*n:]).MulAdd(l, c), simd.LoadFloat32s(p[7*n:]).MulAdd(l, d)
	}
	if relu {
		a, b, c, d = positive(a), positive(b), positive(c), positive(d)
	}
	a.Store(y)
	b.Store(y[n:])
	c.Store(y[2*n:])
	d.Store(y[3*n:])
}
