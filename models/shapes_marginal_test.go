package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/posterior"
)

// The log-marginals of a cluster are those of the exact posterior's normal-inverse-Wishart law with κ0 = ψ, Ψ0 = ψ·I
// and ν0 = p + 2 (posterior.NIW), together and coordinate by coordinate, but for n·p·log(π)/2.
func TestShapesAreNormalInverseWishart(t *testing.T) {
	for _, d := range []int{1, 2, 5, 11} {
		for _, n := range []int{1, 3, 40} {
			t.Run(fmt.Sprintf("%d points, %d coordinates", n, d), func(t *testing.T) { compareMarginals(t, n, d) })
		}
	}
}

func compareMarginals(t *testing.T, n, d int) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	c := Config{Dim: d, Shapes: true}
	z, wide := make([]float64, n*d), make([]float32, n*d)
	for i := range z {
		wide[i] = float32(0.3*rng.NormFloat64() + 0.5)
		z[i] = float64(wide[i])
	}
	out := run(t, func(in []*Node) []*Node {
		channels := Reshape(ReduceSum(productsOf(c, in[0]), 0), 1, -1)
		return []*Node{shapeSumsOf(c, in[1], channels).logMarginals()}
	}, tensors.FromFlatDataAndDimensions(wide, n, d), tensors.FromFlatDataAndDimensions([]float32{float32(n)}, 1, 1))
	got, full := out[0], c.fullAxes()
	for i, fraction := range shapeFractions {
		diagonal, rest := 0.0, 0.0
		for j := range d {
			one := exactMarginal(z, d, j, j+1, fraction)
			if diagonal += one; j >= full {
				rest += one
			}
		}
		together := exactMarginal(z, d, 0, full, fraction) + rest
		for kind, want := range []float64{together, diagonal} {
			if g := float64(got[2*i+kind]); !(math.Abs(g-want) <= 2e-4*max(1, math.Abs(want))) {
				t.Errorf("ψ = %g, kind %d: %g, want %g", fraction, kind, g, want)
			}
		}
	}
}

// productsOf are the channels of points z [N,D] that are in units of their set already.
func productsOf(c Config, z *Node) *Node {
	full := c.fullAxes()
	columns := []*Node{MulScalar(OnesLike(column(z, 0, 1)), c.Dim), z}
	for a := range full {
		columns = append(columns, Mul(column(z, a, a+1), column(z, a, full)))
	}
	if full < c.Dim {
		columns = append(columns, Square(column(z, full, c.Dim)))
	}
	return Concatenate(columns, 1)
}

// exactMarginal is log p of coordinates from..to−1 of points z [n,d], but for −n·p·log(π)/2.
func exactMarginal(z []float64, d, from, to int, fraction float64) float64 {
	p := to - from
	psi := mat.NewSymDense(p, nil)
	for j := range p {
		psi.SetSym(j, j, fraction)
	}
	law := posterior.NIW{Mean: make([]float64, p), Kappa: fraction, Nu: float64(p) + 2, Psi: psi}
	n := len(z) / d
	cluster := law.Clusters(n)()
	for i := range n {
		cluster.Add(z[i*d+from : i*d+to])
	}
	return cluster.LogMarginal() + 0.5*float64(n*p)*math.Log(math.Pi)
}

// logGamma is within a millionth of math.Lgamma, relative above 1, from 1/2 on.
func TestLogGamma(t *testing.T) {
	var x []float32
	for v := float32(0.5); v < 5000; v *= 1.13 {
		x = append(x, v, 2*v+1)
	}
	out := run(t, func(in []*Node) []*Node { return []*Node{logGamma(in[0])} },
		tensors.FromFlatDataAndDimensions(x, len(x)))
	got := out[0]
	for i, v := range x {
		want, _ := math.Lgamma(float64(v))
		if !(math.Abs(float64(got[i])-want) <= 3e-6*max(1, math.Abs(want))) {
			t.Errorf("log Γ(%g) is %g, want %g", v, got[i], want)
		}
	}
}
