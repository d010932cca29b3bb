package mixture

// block is the number of rows whose distances are taken together: small enough for the first cache.
const block = 128

// shape is a location and a lower triangular factor P with Σ⁻¹ = P·Pᵀ. A diagonal factor has zeros below its diagonal.
type shape struct {
	mean     []float64 // [D]
	factor   []float64 // [D·D]
	diagonal bool
	halfLog  float64 // log |P|
}

func newShape(dim int) shape {
	return shape{mean: make([]float64, dim), factor: make([]float64, dim*dim)}
}

// distances writes the squared distances |Pᵀ(x − mean)|² of all rows of columns [D][n] to out [n].
func (s *shape) distances(columns [][]float64, out []float64) {
	switch {
	case s.diagonal || len(s.mean) == 1:
		s.diagonalDistances(columns, out)
	case len(s.mean) == 2:
		s.planeDistances(columns, out)
	default:
		for lo := 0; lo < len(out); lo += block {
			s.blockDistances(columns, lo, out[lo:min(lo+block, len(out))])
		}
	}
}

func (s *shape) diagonalDistances(columns [][]float64, out []float64) {
	clear(out)
	dim := len(s.mean)
	for d, column := range columns {
		column = column[:len(out)]
		m, p := s.mean[d], s.factor[d*dim+d]
		for i, x := range column {
			x = (x - m) * p
			out[i] += x * x
		}
	}
}

func (s *shape) planeDistances(columns [][]float64, out []float64) {
	a, b := columns[0][:len(out)], columns[1][:len(out)]
	m0, m1 := s.mean[0], s.mean[1]
	p00, p10, p11 := s.factor[0], s.factor[2], s.factor[3]
	for i, x := range a {
		x -= m0
		y := b[i] - m1
		x = x*p00 + y*p10
		y *= p11
		out[i] = x*x + y*y
	}
}

// blockDistances does at most block rows from lo. Four columns at a time keep the sums in registers.
func (s *shape) blockDistances(columns [][]float64, lo int, out []float64) {
	var sums [block]float64
	dim, n := len(s.mean), len(out)
	clear(out)
	for e := range dim {
		centre := 0.0
		for d := e; d < dim; d++ {
			centre += s.mean[d] * s.factor[d*dim+e]
		}
		sum := sums[:n]
		for i := range sum {
			sum[i] = -centre
		}
		d := e
		for ; d+4 <= dim; d += 4 {
			a, b := columns[d][lo:lo+n], columns[d+1][lo:lo+n]
			c, f := columns[d+2][lo:lo+n], columns[d+3][lo:lo+n]
			pa, pb := s.factor[d*dim+e], s.factor[(d+1)*dim+e]
			pc, pf := s.factor[(d+2)*dim+e], s.factor[(d+3)*dim+e]
			for i := range sum {
				sum[i] += (a[i]*pa + b[i]*pb) + (c[i]*pc + f[i]*pf)
			}
		}
		for ; d < dim; d++ {
			addScaled(sum, s.factor[d*dim+e], columns[d][lo:lo+n])
		}
		for i, x := range sum {
			out[i] += x * x
		}
	}
}

// scatter writes Σ x·xᵀ of rows [D][n], which are centred already, to the lower triangle of out [D·D].
func scatter(columns [][]float64, out []float64) {
	dim := len(columns)
	for d, a := range columns {
		e := 0
		for ; e+4 <= d+1; e += 4 {
			o := out[d*dim+e : d*dim+e+4]
			o[0], o[1], o[2], o[3] = fourDots(a, columns[e], columns[e+1], columns[e+2], columns[e+3])
		}
		for ; e <= d; e++ {
			out[d*dim+e] = dot(a, columns[e])
		}
	}
}

func fourDots(a, b, c, d, e []float64) (sb, sc, sd, se float64) {
	b, c, d, e = b[:len(a)], c[:len(a)], d[:len(a)], e[:len(a)]
	for i, x := range a {
		sb += x * b[i]
		sc += x * c[i]
		sd += x * d[i]
		se += x * e[i]
	}
	return sb, sc, sd, se
}
