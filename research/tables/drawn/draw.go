package drawn

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Table is N rows as a network's preparation gets them: numbers standardized, categories as indicators (tabular).
type Table struct {
	X       []float64 // [N,Columns] row-major
	Columns int
	Labels  []int32 // [N] clusters, numbered from 0 in no order
}

const single = 0.05 // share of the tables of one column of numbers

// Draw draws a table of n rows.
func (c Config) Draw(rng *rand.Rand, n int) Table {
	labels := c.partition(rng, n)
	columns := 1
	if !chance(rng, single) {
		columns = logUniformInt(rng, min(c.MaxColumns, 2), c.MaxColumns)
	}
	telling := columns
	if columns > 1 && chance(rng, c.Noise) {
		telling = 1 + rng.IntN(columns)
	}
	x := c.clusters(rng, labels, telling)
	if chance(rng, c.Outliers) {
		pushOut(rng, x)
	}
	x = appendColumns(x, noise(rng, n, columns-telling))
	if chance(rng, c.Skewed) {
		everyOther(rng, x, skewed)
	}
	if chance(rng, c.Discrete) {
		everyOther(rng, x, rounded)
	}
	standardize(x)
	if chance(rng, c.Categories) {
		for range 1 + rng.IntN(3) {
			x = appendColumns(x, category(rng, labels))
		}
	}
	_, width := x.Dims()
	return Table{X: x.RawMatrix().Data, Columns: width, Labels: labels}
}

// standardize brings each column to mean 0 and standard deviation 1; a constant one becomes 0.
func standardize(x *mat.Dense) {
	n, d := x.Dims()
	column := make([]float64, n)
	for j := range d {
		mat.Col(column, j, x)
		mean, deviation := stat.PopMeanStdDev(column, nil)
		for i, v := range column {
			if deviation > 0 {
				x.Set(i, j, (v-mean)/deviation)
			} else {
				x.Set(i, j, 0)
			}
		}
	}
}

// appendColumns is x with the columns of more, which may be nil, at its right.
func appendColumns(x, more *mat.Dense) *mat.Dense {
	if more == nil {
		return x
	}
	var both mat.Dense
	both.Augment(x, more)
	return &both
}

func chance(rng *rand.Rand, p float64) bool { return rng.Float64() < p }

func uniform(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

func logUniform(rng *rand.Rand, low, high float64) float64 {
	return math.Exp(uniform(rng, math.Log(low), math.Log(high)))
}

// logUniformInt is a whole number in low..high, log-uniform but for rounding.
func logUniformInt(rng *rand.Rand, low, high int) int {
	return min(int(logUniform(rng, float64(low), float64(high+1))), high)
}

// normal is a matrix [n,d] of standard normal numbers.
func normal(rng *rand.Rand, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i, row := 0, x.RawMatrix().Data; i < len(row); i++ {
		row[i] = rng.NormFloat64()
	}
	return x
}

const (
	leastPerCluster = 4 // rows that a cluster has on average, at least, but in a restaurant
	fewness         = 1.3
	alphaLow        = 0.3
	alphaHigh       = 3
	evennessLow     = 0.7 // of the Dirichlet distribution's parameter
	evennessHigh    = 20
)

// partition draws the labels [n] of a table's rows: see Config.Process. Clusters may be empty.
func (c Config) partition(rng *rand.Rand, n int) []int32 {
	if chance(rng, c.Process) {
		return c.restaurant(rng, n)
	}
	most := float64(max(1, min(c.MaxK, n/leastPerCluster)))
	k := 1 + int(most*math.Pow(rng.Float64(), fewness))
	shares := distuv.NewCategorical(dirichlet(rng, k, logUniform(rng, evennessLow, evennessHigh)), rng)
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(shares.Rand())
	}
	return labels
}

// restaurant draws from a Chinese restaurant process, the last of whose MaxK tables takes what would open another.
func (c Config) restaurant(rng *rand.Rand, n int) []int32 {
	alpha := logUniform(rng, alphaLow, alphaHigh)
	labels, k := make([]int32, n), 0
	for i := range labels {
		if k < c.MaxK && rng.Float64()*(float64(i)+alpha) < alpha {
			labels[i] = int32(k)
			k++
		} else {
			labels[i] = labels[rng.IntN(max(i, 1))]
		}
	}
	rng.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	return labels
}

// dirichlet draws k shares with equal parameters.
func dirichlet(rng *rand.Rand, k int, evenness float64) []float64 {
	gamma := distuv.Gamma{Alpha: evenness, Beta: 1, Src: rng}
	shares := make([]float64, k)
	for i := range shares {
		shares[i] = gamma.Rand() + 1e-12 // not all zero
	}
	return shares
}
