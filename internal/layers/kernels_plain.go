//go:build !goexperiment.simd

package layers

// tileWidth is the number of columns that a kernel computes at a time.
func tileWidth() int { return plainTile }

const plainTile = 8

// AddReLU is max(x + b, 0), written to y; all have one length.
func AddReLU(y, x, b []float32) {
	for i := range y {
		y[i] = max(x[i]+b[i], 0)
	}
}

// twoRows computes a tile of two rows: y = x·w + b, and its ReLU if asked.
func twoRows(y0, y1, x0, x1, w, bias []float32, relu bool) {
	oneRow(y0, x0, w, bias, relu)
	oneRow(y1, x1, w, bias, relu)
}

// oneRow computes a tile of a row. Each number is a sum in the order of x.
func oneRow(y, x, w, bias []float32, relu bool) {
	var s [plainTile]float32
	copy(s[:], bias)
	for i, v := range x {
		p := (*[plainTile]float32)(w[i*plainTile:])
		for j := range s {
			s[j] += v * p[j]
		}
	}
	if relu {
		for j := range s {
			s[j] = max(s[j], 0)
		}
	}
	copy(y[:plainTile], s[:])
}
