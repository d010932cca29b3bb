package mixture

import (
	"fmt"
	"testing"
)

// blobs are n rows of K Gaussian clusters in dim columns, their centres N(0, spread²).
func blobs(seed uint64, n, dim, number int, spread float64) (columns [][]float64, truth []int32) {
	rng := newRandom(seed, 0)
	columns = make([][]float64, dim)
	centres := make([]float64, dim*number)
	for i := range centres {
		centres[i] = spread * rng.NormFloat64()
	}
	for i := range n {
		k := i * number / n
		truth = append(truth, int32(k))
		for d := range columns {
			columns[d] = append(columns[d], centres[k*dim+d]+rng.NormFloat64())
		}
	}
	return columns, truth
}

func BenchmarkSweep(b *testing.B) {
	for _, size := range []struct{ n, dim, number int }{
		{140, 2, 6}, {300, 2, 4}, {1500, 2, 5}, {1000, 20, 5}, {2000, 50, 8},
	} {
		b.Run(fmt.Sprintf("%d×%d", size.n, size.dim), func(b *testing.B) {
			columns, truth := blobs(1, size.n, size.dim, size.number, 4)
			r := &rows{n: size.n, columns: columns, first: []int{0}}
			c := newChain(r, truth, gaussian, newRandom(1, 1))
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
