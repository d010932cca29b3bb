package drawn

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// noise draws columns [n,d] that know nothing of the clusters: normal, uniform or exponential; nil for none.
func noise(rng *rand.Rand, n, d int) *mat.Dense {
	if d == 0 {
		return nil
	}
	x := normal(rng, n, d)
	for j := range d {
		kind := rng.IntN(3)
		for i := range n {
			switch kind {
			case 1:
				x.Set(i, j, rng.Float64())
			case 2:
				x.Set(i, j, rng.ExpFloat64())
			}
		}
	}
	return x
}

// pushOut moves up to one row in twenty by several standard deviations of the columns.
func pushOut(rng *rand.Rand, x *mat.Dense) {
	n, d := x.Dims()
	spread := make([]float64, d)
	for j := range spread {
		spread[j] = stat.PopStdDev(mat.Col(nil, j, x), nil)
	}
	share := uniform(rng, 0.01, 0.05)
	for i := range n {
		if !chance(rng, share) {
			continue
		}
		far := uniform(rng, 1, 4)
		for j, width := range spread {
			x.Set(i, j, x.At(i, j)+far*width*rng.NormFloat64())
		}
	}
}

// everyOther changes about half of the columns, each by a map that is drawn for it.
func everyOther(rng *rand.Rand, x *mat.Dense, draw func(rng *rand.Rand) func(z float64) float64) {
	n, d := x.Dims()
	for j := range d {
		if chance(rng, 0.5) {
			continue
		}
		change := draw(rng)
		mean, width := stat.PopMeanStdDev(mat.Col(nil, j, x), nil)
		for i := range n {
			x.Set(i, j, change((x.At(i, j)-mean)/max(width, math.SmallestNonzeroFloat32)))
		}
	}
}

// skewed draws an exponential map, which bends a column to one side.
func skewed(rng *rand.Rand) func(float64) float64 {
	size := uniform(rng, 0.3, 1)
	if chance(rng, 0.5) {
		size = -size
	}
	return func(z float64) float64 { return math.Exp(size * z) }
}

// rounded draws a map that rounds a column to 1 to 5 values a standard deviation.
func rounded(rng *rand.Rand) func(float64) float64 {
	values := uniform(rng, 1, 5)
	return func(z float64) float64 { return math.Round(z * values) }
}

// category draws a column of categories as indicators [N,levels], centred and divided by the root of their shares
// (Pagès 2004). Its levels depend on the cluster, but in one column of four, which is noise.
func category(rng *rand.Rand, labels []int32) *mat.Dense {
	levels := 2 + rng.IntN(4)
	draw := func() distuv.Categorical {
		return distuv.NewCategorical(dirichlet(rng, levels, uniform(rng, 0.2, 1)), rng)
	}
	var each []distuv.Categorical
	tells, same := !chance(rng, 0.25), draw()
	x := mat.NewDense(len(labels), levels, nil)
	for i, label := range labels {
		for int(label) >= len(each) {
			each = append(each, draw())
		}
		of := same
		if tells {
			of = each[label]
		}
		x.Set(i, int(of.Rand()), 1)
	}
	for j := range levels {
		share := stat.Mean(mat.Col(nil, j, x), nil)
		for i := range labels {
			if share > 0 {
				x.Set(i, j, (x.At(i, j)-share)/math.Sqrt(share))
			}
		}
	}
	return x
}
