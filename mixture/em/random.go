package em

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Random is a stream of random numbers.
type Random struct{ *rand.Rand }

// NewRandom returns the stream of a seed.
func NewRandom(seed, stream uint64) Random { return Random{rand.New(rand.NewPCG(seed, stream))} }

// LogUniform returns log U of a uniform U in (0, 1].
func (r Random) LogUniform() float64 { return math.Log(1 - r.Float64()) }

// Gamma draws from Gamma(shape, 1) (Marsaglia & Tsang 2000).
func (r Random) Gamma(shape float64) float64 {
	if shape < 1 {
		return math.Exp(r.LogGamma(shape))
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

// LogGamma draws the logarithm of a Gamma(shape, 1) variable; it stays finite for small shapes.
func (r Random) LogGamma(shape float64) float64 {
	if shape < 1 {
		return math.Log(r.Gamma(shape+1)) + r.LogUniform()/shape
	}
	return math.Log(r.Gamma(shape))
}

// negligible is a difference of log probabilities beyond which pick ignores the smaller one.
const negligible = 40

// Pick draws an index with probabilities in proportion to exp(logWeights), and overwrites logWeights.
func (r Random) Pick(logWeights []float64) int {
	at, _ := r.PickOf(logWeights)
	return at
}

// PickOf is Pick, and returns the log of the sum of the weights, too.
func (r Random) PickOf(logWeights []float64) (at int, logTotal float64) {
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

const HalfLog2Pi = 0.9189385332046727 // ½·log 2π

// LogGammaFunction returns log Γ(x) for x > 0. From 8 on it uses Stirling's series, which is faster than math.Lgamma.
func LogGammaFunction(x float64) float64 {
	if x < 8 {
		value, _ := math.Lgamma(x)
		return value
	}
	y := 1 / (x * x)
	return (x-0.5)*math.Log(x) - x + HalfLog2Pi + (1.0/12-y*(1.0/360-y*(1.0/1260-y*(1.0/1680-y/1188))))/x
}

// LogGammaD returns log Γ_D(x), the multivariate gamma function, without its power of π.
func LogGammaD(x float64, dim int) float64 {
	sum := 0.0
	for d := range dim {
		sum += LogGammaFunction(x - 0.5*float64(d))
	}
	return sum
}

// Bartlett fills a lower triangular b so that b·bᵀ ~ Wishart(df, I).
func (r Random) Bartlett(df float64, b []float64, dim int) {
	for d := range dim {
		row := b[d*dim : (d+1)*dim]
		for e := range d {
			row[e] = r.NormFloat64()
		}
		row[d] = math.Sqrt(2 * r.Gamma(0.5*(df-float64(d))))
		clear(row[d+1:])
	}
}

// Truncated draws a standard normal between a and b.
func (r Random) Truncated(a, b float64) float64 {
	const wide, far = 2.5, 0.5
	switch {
	case b < 0 || a < 0 && -a > b:
		return -r.Truncated(-b, -a)
	case b-a > wide && a < far:
		for {
			if x := r.NormFloat64(); x >= a && x <= b {
				return x
			} else if a >= 0 && -x >= a && -x <= b {
				return -x
			}
		}
	case a <= 0:
		for {
			if x := a + r.Float64()*(b-a); r.LogUniform() < -0.5*x*x {
				return x
			}
		}
	}
	share := -math.Expm1(-a * (b - a))
	for {
		x := -math.Log1p(-r.Float64()*share) / a
		if r.LogUniform() < -0.5*x*x {
			return a + x
		}
	}
}

// LogNormalBetween returns the log probability that a standard normal lies between a and b.
func LogNormalBetween(a, b float64) float64 {
	const far = 30
	if b < 0 {
		a, b = -b, -a
	}
	if a > far { // Mills' ratio
		return -0.5*a*a - math.Log(a*math.Sqrt(2*math.Pi)) + math.Log(-math.Expm1(-a*(b-a)))
	}
	return math.Log(max(0.5*(math.Erfc(a/math.Sqrt2)-math.Erfc(b/math.Sqrt2)), math.SmallestNonzeroFloat64))
}
