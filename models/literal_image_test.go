package models

// image applies the convolutional encoder to one image [784], as the paper's sizes describe it, pixel by pixel.
func (l *Literal) image(name string, x []float64) []float64 {
	weight := func(i int) Param { return l.params[weightName(name, i, "weight")] }
	bias := func(i int) []float32 { return l.params[weightName(name, i, "bias")].Data }
	side := ImageSide
	for i := range 2 {
		x, side = convolve(x, side, weight(i), bias(i))
		x, side = maxPool(x, side, len(bias(i)))
		rectify(x)
	}
	x = linear(x, weight(2), bias(2))
	rectify(x)
	return linear(x, weight(3), bias(3))
}

func rectify(x []float64) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}

// convolve applies a kernel [5,5,In,Out] to x [side,side,In], without padding.
func convolve(x []float64, side int, kernel Param, bias []float32) (y []float64, outSide int) {
	in, out := kernel.Shape[2], kernel.Shape[3]
	outSide = side - kernelSide + 1
	for row := range outSide {
		for column := range outSide {
			for o := range out {
				sum := float64(bias[o])
				for ky := range kernelSide {
					for kx := range kernelSide {
						for i := range in {
							w := kernel.Data[((ky*kernelSide+kx)*in+i)*out+o]
							sum += float64(w) * x[((row+ky)*side+column+kx)*in+i]
						}
					}
				}
				y = append(y, sum)
			}
		}
	}
	return y, outSide
}

// maxPool takes the maximum of each 2×2 window of x [side,side,channels].
func maxPool(x []float64, side, channels int) (y []float64, outSide int) {
	outSide = side / 2
	for row := range outSide {
		for column := range outSide {
			for c := range channels {
				at := func(dy, dx int) float64 { return x[((2*row+dy)*side+2*column+dx)*channels+c] }
				y = append(y, max(at(0, 0), at(0, 1), at(1, 0), at(1, 1)))
			}
		}
	}
	return y, outSide
}
