package mixture

import "math"

// Square matrices are [D·D], row by row. Of symmetric ones the lower triangle is read and written.

// smallestPivot keeps factors of singular matrices finite, as a share of the diagonal.
const smallestPivot = 1e-12

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// addScaled adds factor·a to sum.
func addScaled(sum []float64, factor float64, a []float64) {
	sum = sum[:len(a)]
	for i, v := range a {
		sum[i] += factor * v
	}
}

func pivot(value, diagonal float64) float64 {
	return math.Sqrt(max(value, smallestPivot*diagonal, math.SmallestNonzeroFloat64))
}

// cholesky writes the lower factor L of a = L·Lᵀ and returns log |a|. l may be a.
func cholesky(a, l []float64, dim int) (logDet float64) {
	for i := range dim {
		row := l[i*dim : i*dim+i+1]
		for j := range i {
			row[j] = (a[i*dim+j] - dot(row[:j], l[j*dim:j*dim+j])) / l[j*dim+j]
		}
		diagonal := a[i*dim+i]
		row[i] = pivot(diagonal-dot(row[:i], row[:i]), diagonal)
		logDet += 2 * math.Log(row[i])
	}
	return logDet
}

// choleskyUpper writes the upper factor U of a = U·Uᵀ, whose inverse transposed is a lower factor of a⁻¹.
func choleskyUpper(a, u []float64, dim int) (logDet float64) {
	for j := dim - 1; j >= 0; j-- {
		right := u[j*dim+j+1 : (j+1)*dim]
		diagonal := a[j*dim+j]
		p := pivot(diagonal-dot(right, right), diagonal)
		u[j*dim+j] = p
		logDet += 2 * math.Log(p)
		for i := range j {
			u[i*dim+j] = (a[j*dim+i] - dot(u[i*dim+j+1:(i+1)*dim], right)) / p
		}
	}
	return logDet
}

// solveLower replaces b by L⁻¹·b.
func solveLower(l, b []float64) {
	dim := len(b)
	for i := range b {
		b[i] = (b[i] - dot(l[i*dim:i*dim+i], b[:i])) / l[i*dim+i]
	}
}

// invertLower writes the columns of L⁻¹, one after another.
func invertLower(l, columns []float64, dim int) {
	clear(columns)
	for j := range dim {
		column := columns[j*dim : (j+1)*dim]
		column[j] = 1 / l[j*dim+j]
		for i := j + 1; i < dim; i++ {
			column[i] = -dot(l[i*dim+j:i*dim+i], column[j:i]) / l[i*dim+i]
		}
	}
}

// solveLowerTransposed replaces b by L⁻ᵀ·b.
func solveLowerTransposed(l, b []float64) {
	dim := len(b)
	for i := dim - 1; i >= 0; i-- {
		b[i] /= l[i*dim+i]
		addScaled(b[:i], -b[i], l[i*dim:i*dim+i])
	}
}

// divideUpper replaces the lower triangular p by U⁻ᵀ·p, lower triangular too.
func divideUpper(u, p []float64, dim int) {
	for i := range dim {
		row := p[i*dim : i*dim+i+1]
		for k := range i {
			addScaled(row, -u[k*dim+i], p[k*dim:k*dim+k+1])
		}
		for e := range row {
			row[e] /= u[i*dim+i]
		}
	}
}

// bartlett fills the lower triangular b, of which b·bᵀ ~ Wishart(df, I).
func (r random) bartlett(df float64, b []float64, dim int) {
	for d := range dim {
		row := b[d*dim : (d+1)*dim]
		for e := range d {
			row[e] = r.NormFloat64()
		}
		row[d] = math.Sqrt(2 * r.gamma(0.5*(df-float64(d))))
		clear(row[d+1:])
	}
}

// addProduct adds p·pᵀ of a lower triangular p to the lower triangle of sum.
func addProduct(sum []float64, factor float64, p []float64, dim int) {
	for i := range dim {
		for j := range i + 1 {
			sum[i*dim+j] += factor * dot(p[i*dim:i*dim+j+1], p[j*dim:j*dim+j+1])
		}
	}
}
