package posterior

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Frame says what is not known of how points were measured: where their origin is, and how long their unit. A mixture
// describes points f·x + s, and x is what is at hand. The zero value is f = 1, s = 0: the points are known as they are.
type Frame struct {
	// Centred makes the shift s unknown, with a flat prior: only differences of points count, as in sets whose median
	// was subtracted (Gaussian.LogLikelihoodCentred).
	Centred bool
	// Shape, if above 0, makes the factor f unknown: f² ~ Gamma(Shape) with E[log f] = 0, so f is 1 give or take
	// √ψ′(Shape)/2 on the log scale, 0.64 for Shape 1 and 0.40 for Shape 2. It is the conjugate prior: with τ/σ known,
	// an unknown width of the clusters is an unknown unit.
	Shape float64
}

// framing is a chain's state of its Frame.
type framing struct {
	Frame
	model  Gaussian  // the chain's
	given  []float64 // [N·D], the points at hand
	factor float64   // f
	shift  []float64 // [D], s
	rate   float64   // of the prior of f²
}

// enframe takes points [N·D] as measured in an unknown frame, and starts at f = 1 and s = 0. It returns an error for
// settings out of range, and for a model that is no Gaussian: the priors of shift and factor are conjugate to that.
func (c *Chain) enframe(f Frame) error {
	model, ok := c.model.(Gaussian)
	if !ok {
		return usererr.New("leave the frame out", "only round clusters of one width have an unknown origin or unit")
	}
	if !(f.Shape >= 0) || math.IsInf(f.Shape, 0) {
		return usererr.New("use a finite number of at least 0", "shape is %v", f.Shape)
	}
	if f.Centred && model.Tau <= 0 {
		return usererr.New("use one above 0", "tau is %v, but an unknown shift needs a spread of means", model.Tau)
	}
	c.frame = &framing{Frame: f, model: model, given: c.x, factor: 1, shift: make([]float64, model.Dim)}
	if f.Shape > 0 {
		c.frame.rate = math.Exp(mathext.Digamma(f.Shape))
	}
	c.x = append([]float64{}, c.x...)
	return nil
}

// fit is log p(f·x + s | partition), s integrated out if it is unknown, as constant − squares/2: squares is that of
// lengths, and grows by f² with the factor.
type fit struct {
	constant, squares float64
	weight            float64   // of all clusters: given the partition, their common shift has variance 1/weight
	mean              []float64 // [D], their weighted mean
}

func (c *Chain) fit() fit {
	g, n := c.frame.model, float64(len(c.cluster))
	v, t2, d := g.Sigma*g.Sigma, g.Tau*g.Tau, float64(g.Dim)
	f := fit{
		constant: -n * d / 2 * math.Log(2*math.Pi*v), squares: floats.Dot(c.x, c.x) / v, mean: make([]float64, g.Dim),
	}
	for k, size := range c.size {
		m, sum := float64(size), c.stats[k].(*round).sum
		f.constant -= d / 2 * math.Log1p(m*t2/v)
		f.squares -= g.meanWeight(size) * floats.Dot(sum, sum) / v
		w := 1 / (t2 + v/m)
		f.weight += w
		floats.AddScaled(f.mean, w/m, sum)
	}
	floats.Scale(1/f.weight, f.mean)
	if c.frame.Centred {
		f.constant += d / 2 * math.Log(2*math.Pi/f.weight)
		f.squares -= f.weight * floats.Dot(f.mean, f.mean)
	}
	return f
}

// dimensions is the number of directions in which the points carry information.
func (c *Chain) dimensions() float64 {
	if c.frame.Centred {
		return float64(len(c.x) - c.dim)
	}
	return float64(len(c.x))
}

// reframe draws factor and shift given the partition: the factor with the shift integrated out, then the shift.
func (c *Chain) reframe(rng *rand.Rand) {
	frame := c.frame
	if frame == nil {
		return
	}
	fit, grown := c.fit(), 1.0
	if frame.Shape > 0 {
		shape := frame.Shape + c.dimensions()/2
		rate := frame.rate + fit.squares/(2*frame.factor*frame.factor)
		f := math.Sqrt(distuv.Gamma{Alpha: shape, Beta: rate, Src: rng}.Rand())
		grown, frame.factor = f/frame.factor, f
	}
	for j := range frame.shift {
		frame.shift[j] *= grown
		if frame.Centred {
			frame.shift[j] -= grown*fit.mean[j] + rng.NormFloat64()/math.Sqrt(fit.weight)
		}
	}
	for _, stats := range c.stats {
		stats.Clear()
	}
	for i, k := range c.cluster {
		at := c.point(i)
		for j := range at {
			at[j] = frame.factor*frame.given[i*len(at)+j] + frame.shift[j]
		}
		c.stats[k].Add(at)
	}
}

// Factor returns f, the current factor from the points at hand to those of the model; 1 if it is known.
func (c *Chain) Factor() float64 {
	if c.frame == nil {
		return 1
	}
	return c.frame.factor
}

// LogPosterior returns log p(x, partition) in nats of the points at hand, with the clusters' parameters, shift and
// factor integrated out: the log-posterior of the current partition up to a constant that the partitions share.
func (c *Chain) LogPosterior() float64 {
	total, frame := c.logK[len(c.size)], c.frame
	if c.selecting != nil {
		total += c.selecting.logChosen(c)
	}
	for k, n := range c.size {
		if frame == nil && c.selecting == nil {
			total += c.stats[k].LogMarginal()
		}
		total += logSeated(n)
	}
	if frame == nil {
		return total
	}
	fit := c.fit()
	if frame.Shape == 0 {
		return total + fit.constant - fit.squares/2
	}
	shape := frame.Shape + c.dimensions()/2
	before, _ := math.Lgamma(frame.Shape)
	after, _ := math.Lgamma(shape)
	total += frame.Shape*math.Log(frame.rate) - before + after
	return total + fit.constant - shape*math.Log(frame.rate+fit.squares/(2*frame.factor*frame.factor))
}
