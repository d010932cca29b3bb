package mixture

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// random is the stream of random numbers of one chain.
type random struct{ *rand.Rand }

func newRandom(seed, stream uint64) random { return random{rand.New(rand.NewPCG(seed, stream))} }

// logUniform returns log U of a uniform U in (0, 1].
func (r random) logUniform() float64 { return math.Log(1 - r.Float64()) }

// gamma draws from Gamma(shape, 1) (Marsaglia & Tsang 2000).
func (r random) gamma(shape float64) float64 {
	if shape < 1 {
		return math.Exp(r.logGamma(shape))
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - r.Float64()
		x *= x
		if u < 1-0.0331*x*x || math.Log(u) < 0.5*x+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}

// logGamma draws the logarithm of a Gamma(shape, 1) variable; it stays finite for small shapes.
func (r random) logGamma(shape float64) float64 {
	if shape < 1 {
		return math.Log(r.gamma(shape+1)) + r.logUniform()/shape
	}
	return math.Log(r.gamma(shape))
}

// negligible is a difference of log probabilities that rounding hides.
const negligible = 40

// pick draws an index with probabilities in proportion to exp(logWeights), which it destroys.
func (r random) pick(logWeights []float64) int {
	at, _ := r.pickOf(logWeights)
	return at
}

// pickOf is pick, and returns the log of the sum of the weights, too.
func (r random) pickOf(logWeights []float64) (at int, logTotal float64) {
	largest, total := slices.Max(logWeights), 0.0
	for i, v := range logWeights {
		logWeights[i] = 0
		if v -= largest; v > -negligible {
			logWeights[i] = math.Exp(v)
			total += logWeights[i]
		}
	}
	left := r.Float64() * total
	for i, v := range logWeights {
		if v == 0 {
			continue
		}
		at = i
		if left -= v; left < 0 {
			break
		}
	}
	return at, largest + math.Log(total)
}

// two draws two different indices below n, in order.
func (r random) two(n int) (first, second int) {
	first, second = r.IntN(n), r.IntN(n-1)
	if second >= first {
		second++
	}
	return first, second
}

// logSumExp returns log Σ exp(v).
func logSumExp(values []float64) float64 { return floats.LogSumExp(values) }

// logGammaFunction is log Γ(x) for x > 0: Stirling's series from 8 on, which is faster than the library's.
func logGammaFunction(x float64) float64 {
	if x < 8 {
		value, _ := math.Lgamma(x)
		return value
	}
	const halfLog2Pi = 0.9189385332046727
	y := 1 / (x * x)
	return (x-0.5)*math.Log(x) - x + halfLog2Pi + (1.0/12-y*(1.0/360-y*(1.0/1260-y*(1.0/1680-y/1188))))/x
}

// logGammaD is log Γ_D(x) without the factor of π.
func logGammaD(x float64, dim int) float64 {
	sum := 0.0
	for d := range dim {
		sum += logGammaFunction(x - 0.5*float64(d))
	}
	return sum
}
