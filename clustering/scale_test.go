package clustering

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
)

// Against loops over all pairs, in three coordinates: 45 points, so that m is 2 and 2 points are left out.
func TestMeasureAgainstLoops(t *testing.T) {
	const n, d, m, left = 45, 3, 2, 2
	rng := rand.New(rand.NewPCG(81, 82))
	z := make([]float64, n*d)
	for i := range z {
		z[i] = 3 * rng.NormFloat64()
	}
	var locals, norms []float64
	for i := range n {
		var distances []float64
		for j := range n {
			if j != i {
				distances = append(distances, floats.Distance(z[i*d:(i+1)*d], z[j*d:(j+1)*d], 2))
			}
		}
		slices.Sort(distances)
		locals = append(locals, distances[m-1])
		norms = append(norms, floats.Norm(z[i*d:(i+1)*d], 2))
	}
	slices.Sort(locals)
	slices.Sort(norms)
	squares := 0.0
	for _, v := range norms[:n-left] {
		squares += v * v
	}
	s := measure(z, n, d)
	near(t, "local", s.local, locals[n/2], 1e-12)
	near(t, "global", s.global, math.Sqrt(squares/((n-left)*d)), 1e-12)
	near(t, "reach", s.reach, norms[n-1], 1e-12)
}

// Models of sets of one point are compared with sets of two.
func TestReferenceOfOnePoint(t *testing.T) {
	one := known()
	one.NMin, one.NMax, one.MinK = 1, 1, 1
	if r := must.M1(newReference(one, 5)); r.points != 2 || len(r.local) != referenceSets {
		t.Errorf("reference of %d points, local %v", r.points, r.local)
	}
}

func TestQuantile(t *testing.T) {
	for p, want := range map[float64]float64{0: 1, 0.25: 1.5, 0.5: 2, 0.75: 3, 1: 4} {
		if got := quantile(p, []float64{1, 2, 4}); got != want {
			t.Errorf("quantile %g of 1, 2, 4 is %g, want %g", p, got, want)
		}
	}
	if got := quantile(0.95, []float64{7}); got != 7 {
		t.Errorf("a quantile of 7 alone is %g", got)
	}
}

func TestFactorRules(t *testing.T) {
	r := &reference{local: []float64{1, 2, 3}, global: []float64{10, 20, 30}}
	for _, c := range []struct {
		name          string
		local, global float64
		want          float64
	}{
		{"as in training", 2, 20, 1},
		{"a usual low quantile", quantile(lowQuantile, r.local), quantile(lowQuantile, r.global), 1},
		{"a usual high quantile", quantile(highQuantile, r.local), quantile(highQuantile, r.global), 1},
		{"ten times smaller", 0.2, 2, 10},
		{"tight and far apart: the global quantile caps", 0.02, 20, quantile(0.95, r.global) / 20},
		{"many equal points", 0, 200, 0.1},
		{"all points equal", 0, 0, 1},
	} {
		near(t, c.name, r.factor(spread{local: c.local, global: c.global}), c.want, 1e-12)
	}
}

// Units do not matter: once outside of the usual range, points are brought to the same place from everywhere.
func TestAutoScaleUndoesUnits(t *testing.T) {
	x, _ := trainingSet(t, 50)
	plain := must.M1(input{tinyNet(), known(), x, 50, 2}.prepare(0))
	if plain.factor != 1 || len(plain.warnings) != 0 {
		t.Errorf("a training set has factor %g and warnings %q", plain.factor, plain.warnings)
	}
	small := must.M1(input{tinyNet(), known(), scaled(x, 1.0/1024, 0), 50, 2}.prepare(0))
	large := must.M1(input{tinyNet(), known(), scaled(x, 1024, 0), 50, 2}.prepare(0))
	near(t, "ratio of the factors", small.factor/large.factor, 1024*1024, 1e-6)
	// within e either way: clusters differ in size
	near(t, "factor that undoes 1/1024", math.Log(small.factor/1024), 0, 1)
	for i := range small.x {
		near(t, "a prepared coordinate", float64(small.x[i]), float64(large.x[i]), 1e-5)
	}
	if len(small.warnings) != 0 {
		t.Errorf("warnings %q", small.warnings)
	}
}

// Large sets are measured on a fixed part of their points; the reach sees all.
func TestReferenceMeasuresAPart(t *testing.T) {
	r := must.M1(newReference(known(), 5000))
	if r.points != 60 {
		t.Errorf("training sets of %d points, want the largest, 60", r.points)
	}
	z := make([]float64, 2*5000)
	for i := range z {
		z[i] = float64(i * i % 101)
	}
	var part []float64
	for _, i := range data.Rand(referenceSeed, referenceStream, 1).Perm(5000)[:60] {
		part = append(part, z[2*i], z[2*i+1])
	}
	if got, want := r.measure(z, 5000, 2), measure(part, 60, 2); got.local != want.local || got.global != want.global {
		t.Errorf("60 of 5000 points measure %+v, want %+v", got, want)
	}
	z[2*4321] = 1e6
	s := r.measure(z, 5000, 2)
	near(t, "reach", s.reach, 1e6, 1e-6)
	if s.global > 100 {
		t.Errorf("one outlier of 5000 points moves the global statistic to %g", s.global)
	}
}
