package mixture

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// blobs returns n rows of number Gaussian clusters in dim columns, with centres from N(0, spread²).
func blobs(seed uint64, n, dim, number int, spread float64) drawn {
	rng := em.NewRandom(seed, 0)
	centres := make([]float64, dim*number)
	for i := range centres {
		centres[i] = spread * rng.NormFloat64()
	}
	return shaped("blobs", rng, n, dim, number, func(rng em.Random, _, k int, row []float64) {
		for d := range row {
			row[d] = centres[k*dim+d] + rng.NormFloat64()
		}
	})
}

func BenchmarkSweep(b *testing.B) {
	for _, size := range []struct {
		n, dim, number int
		rounded        bool
	}{
		{140, 2, 6, false},
		{300, 2, 4, false},
		{1500, 2, 5, false},
		{1000, 20, 5, false},
		{2000, 50, 8, false},
		{1500, 2, 5, true},
		{1000, 20, 5, true},
	} {
		b.Run(fmt.Sprintf("%d×%d rounded=%t", size.n, size.dim, size.rounded), func(b *testing.B) {
			set := blobs(1, size.n, size.dim, size.number, 4)
			r := &em.Rows{N: size.n, Columns: set.columns, First: []int{0}}
			if size.rounded {
				for d, column := range set.columns {
					low, high := slices.Clone(column), slices.Clone(column)
					floats.AddConst(-0.2, low)
					floats.AddConst(0.2, high)
					r.Rounded = append(r.Rounded, em.Rounded{Column: d, Low: low, High: high})
				}
			}
			c := newChain(r, &knowledge{}, set.truth, gaussian, em.NewRandom(1, 1))
			for range 20 {
				c.sweep(false)
			}
			b.ReportAllocs()
			for b.Loop() {
				c.sweep(false)
			}
			b.ReportMetric(float64(len(c.clusters)), "clusters")
		})
	}
}
