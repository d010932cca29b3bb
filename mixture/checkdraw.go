package mixture

import "math"

// fillRoots factors the covariances of the fit.
func (c *checker) fillRoots() {
	dim := c.fit.dim
	for _, cluster := range c.fit.Clusters {
		root, packed := make([]float64, dim*dim), cluster.Covariance
		for d := range dim {
			copy(root[d*dim:], packed[:d+1])
			packed = packed[d+1:]
		}
		cholesky(root, root, dim)
		c.roots = append(c.roots, root)
	}
}

// rowScale draws 1/√u of a row with a squared distance in dim present cells.
func (c *checker) rowScale(distance float64, dim int) float64 {
	nu := c.fit.Degrees
	if math.IsInf(nu, 1) {
		return 1
	}
	return math.Sqrt(0.5 * (nu + distance) / c.rng.gamma(0.5*(nu+float64(dim))))
}

// draw draws as many rows as like has from the fit, without missing cells.
func (c *checker) draw(like *rows) *rows {
	dim := like.dim()
	out := &rows{n: like.n, columns: make([][]float64, dim), first: like.first}
	for d := range out.columns {
		out.columns[d] = make([]float64, like.n)
	}
	for range like.codes {
		out.codes = append(out.codes, make([]int32, like.n))
	}
	logs, noise := make([]float64, len(c.fit.Clusters)), make([]float64, dim)
	levels := make([]float64, like.levels())
	for i := range like.n {
		for k, cluster := range c.fit.Clusters {
			logs[k] = math.Log(cluster.Weight)
		}
		k := c.rng.pick(logs)
		cluster, scale := &c.fit.Clusters[k], c.rowScale(0, 0)
		for d := range noise {
			noise[d] = scale * c.rng.NormFloat64()
		}
		for d := range noise {
			out.columns[d][i] = cluster.Mean[d] + dot(c.roots[k][d*dim:d*dim+d+1], noise[:d+1])
		}
		for q := range out.codes {
			part := levels[like.first[q]:like.first[q+1]]
			copy(part, cluster.LogLevels[like.first[q]:])
			out.codes[q][i] = int32(c.rng.pick(part))
		}
	}
	return out
}
