package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/usererr"
)

func randomDiagonal(rng *rand.Rand, d int) Diagonal {
	w := Diagonal{Mean: normals(rng, d), Kappa: 0.3, Nu: 3.5}
	for range d {
		w.Psi = append(w.Psi, 0.5+rng.ExpFloat64())
	}
	return w
}

// A cluster of a Diagonal is an NIW of one dimension in each coordinate: whatever comes, goes and is joined, densities
// are the sums of theirs. In 60 coordinates the logarithms are taken of more than one product.
func TestDiagonalIsManyNIWs(t *testing.T) {
	rng := rand.New(rand.NewPCG(301, 302))
	const n = 12
	for _, d := range []int{1, 4, 60} {
		w := randomDiagonal(rng, d)
		x := drawPoints(rng, w, OneCluster(n))
		x[0] += 1e4 * w.Psi[0]
		open := w.Clusters(n)
		whole, other := open(), open()
		var parts []Cluster
		for j := range d {
			one := NIW{
				Mean: w.Mean[j : j+1], Kappa: w.Kappa, Nu: w.Nu, Psi: mat.NewSymDense(1, w.Psi[j:j+1]),
			}
			parts = append(parts, one.Clusters(n)())
		}
		same := func() {
			t.Helper()
			var predictive, marginal float64
			for j, p := range parts {
				predictive += p.LogPredictive(x[j : j+1])
				marginal += p.LogMarginal()
			}
			near(t, "predictive", whole.LogPredictive(x[:d]), predictive, 1e-7)
			near(t, "marginal", whole.LogMarginal(), marginal, 1e-7)
		}
		each := func(i int, do func(c Cluster, x []float64), of Cluster) {
			do(of, x[i*d:(i+1)*d])
			for j, p := range parts {
				do(p, x[i*d+j:i*d+j+1])
			}
		}
		same()
		for i := range n {
			of := whole
			if i%3 == 1 {
				of = other
			}
			each(i, Cluster.Add, of)
		}
		whole.Absorb(other)
		same()
		for _, i := range rng.Perm(n) {
			each(i, Cluster.Remove, whole)
			same()
		}
		near(t, "an empty cluster", whole.LogMarginal(), 0, 1e-12)
	}
}

// Draws: a variance is Psi/(Nu − 2) on average, and that of the means 1/Kappa times as large.
func TestDiagonalDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(303, 304))
	const clusters = 20_000
	w := Diagonal{Mean: []float64{1, -2}, Kappa: 0.5, Nu: 12, Psi: []float64{10, 40}}
	labels := make([]int32, 2*clusters)
	for i := range labels {
		labels[i] = int32(i / 2)
	}
	x := drawPoints(rng, w, labels)
	for j, want := range []float64{1, 4} {
		var within, between float64
		for k := range clusters {
			a, b := x[4*k+j], x[4*k+2+j]
			within += (a - b) * (a - b) / 2 / clusters
			between += ((a+b)/2 - w.Mean[j]) * ((a+b)/2 - w.Mean[j]) / clusters
		}
		near(t, "within", within, want, 0.05*want)
		near(t, "between", between, want*(1/w.Kappa+0.5), 0.1*want)
	}
}

func TestDiagonalErrors(t *testing.T) {
	good := Diagonal{Mean: []float64{0, 1}, Kappa: 1, Nu: 3, Psi: []float64{1, 2}}
	if n, err := good.Check([]float64{1, 2, 3, 4}); n != 2 || err != nil {
		t.Errorf("two points: %d, %v", n, err)
	}
	for name, change := range map[string]func(*Diagonal){
		"dim":        func(w *Diagonal) { w.Mean, w.Psi = nil, nil },
		"mean":       func(w *Diagonal) { w.Mean = []float64{0, math.NaN()} },
		"kappa":      func(w *Diagonal) { w.Kappa = 0 },
		"nu":         func(w *Diagonal) { w.Nu = 0 },
		"psi":        func(w *Diagonal) { w.Psi = []float64{1, 0} },
		"psi of one": func(w *Diagonal) { w.Psi = []float64{1} },
	} {
		bad := good
		change(&bad)
		if _, err := bad.Check([]float64{1, 2}); !usererr.Is(err) {
			t.Errorf("%s: %v, want a fault of the user", name, err)
		}
	}
	if _, err := good.Check([]float64{0, 3e5}); !usererr.Is(err) {
		t.Errorf("a point 2e5 widths away: %v", err)
	}
}
