package clustering

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/sampling"
)

// The closed form equals numeric integration over the cluster's mean, for one coordinate of one cluster.
func TestLogEvidenceIntegratesTheMean(t *testing.T) {
	known := data.DefaultMoG()
	known.Dim, known.AlphaMin, known.AlphaMax, known.SigmaMu, known.SigmaX = 1, 0.5, 8, 3, 0.7
	x := []float32{1.5, 2.25, 0.5, 1}
	normal := func(v, mean, sd float64) float64 {
		return math.Exp(-(v-mean)*(v-mean)/(2*sd*sd)) / (sd * math.Sqrt(2*math.Pi))
	}
	var integral float64
	const step = 1e-3
	for mu := -30.0; mu < 30; mu += step {
		p := normal(mu, 0, 3)
		for _, v := range x {
			p *= normal(float64(v), mu, 0.7)
		}
		integral += p * step
	}
	want := math.Log(integral) + math.Log(3*2*1) + math.Log(2) // (n−1)! of the restaurant process, and its α
	if got := must.M1(logEvidence(known, x, []int32{0, 0, 0, 0})); !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("log-evidence %.9f, want %.9f", got, want)
	}
}

// Of true labels under several scales, the evidence (with the change of units) is highest at the scale of generation.
func TestLogEvidenceFindsTheScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	known := data.DefaultMoG()
	var z []float64
	var labels []int32
	for c := range int32(4) {
		center := [2]float64{10 * rng.NormFloat64(), 10 * rng.NormFloat64()}
		for range 30 {
			z = append(z, 0.05*(center[0]+rng.NormFloat64()), 0.05*(center[1]+rng.NormFloat64()))
			labels = append(labels, c)
		}
	}
	best, most := 0.0, math.Inf(-1)
	for _, f := range []float64{5, 7, 10, 14, 20, 28, 40, 56} {
		x := make([]float32, len(z))
		for i, v := range z {
			x[i] = float32(v * f)
		}
		if e := must.M1(logEvidence(known, x, labels)) + float64(len(z))*math.Log(f); e > most {
			best, most = f, e
		}
	}
	if best != 20 {
		t.Errorf("the best factor is %g, want 20", best)
	}
}

// Clusters are independent given their labels, and so are coordinates but for the process, log (n−1)! + log α a
// cluster.
func TestLogEvidenceFactorizes(t *testing.T) {
	known := data.DefaultMoG()
	known.AlphaMin, known.AlphaMax, known.SigmaMu, known.SigmaX = 0.5, 8, 3, 0.7 // α = 2
	a, b := []float32{1, 2, -1.5, 0.25, 3, 1}, []float32{-4, 0.5, -3, 1}
	one := func(x []float32, d int) float64 {
		known := known
		known.Dim = d
		return must.M1(logEvidence(known, x, make([]int32, len(x)/d)))
	}
	both := must.M1(logEvidence(known, append(slices.Clone(a), b...), []int32{0, 0, 0, 1, 1}))
	near(t, "two clusters", both, one(a, 2)+one(b, 2), 1e-12)
	process := math.Log(2) + math.Log(2) // three points: log 2! + log 2
	near(t, "two coordinates", one(a, 2), one([]float32{1, -1.5, 3}, 1)+one([]float32{2, 0.25, 1}, 1)-process, 1e-12)
}

// The best factor is that of the candidates at which the network's own greedy labels have the highest evidence, the
// first and the last candidate included; of many points a part is looked at.
func TestBestFactorAgainstLoops(t *testing.T) {
	net, seen := tinyNet(), map[int]bool{}
	for n, guesses := range map[int][]float64{40: {0.05, 1, 30}, 2 * evidencePoints: {1}} {
		x, _ := trainingSet(t, n)
		z := make([]float64, len(x))
		for i, v := range x {
			z[i] = float64(v)
		}
		for _, guess := range guesses {
			chosen := data.Rand(referenceSeed, referenceStream, 2).Perm(n)[:min(n, evidencePoints)]
			best, most, at := 0.0, math.Inf(-1), 0
			for i := range 19 { // three octaves down to one and a half up
				factor := guess * math.Exp2(float64(i)/4-3)
				points := make([]float32, 0, 2*len(chosen))
				for _, p := range chosen {
					points = append(points, float32(z[2*p]*factor), float32(z[2*p+1]*factor))
				}
				sets := must.M1(sampling.Encode(net, points, 1, len(chosen)))
				labels, _ := metrics.Canonical(must.M1(sets.Run(sets.EachSet(), sampling.Greedy{})).Labels[0])
				if e := must.M1(logEvidence(known(), points, labels)) + float64(len(points))*math.Log(
					factor,
				); e > most {
					best, most, at = factor, e, i
				}
			}
			seen[at] = true
			near(t, "factor", must.M1(bestFactor(t.Context(), net, known(), z, n, 2, guess)), best, 1e-12)
		}
	}
	if !seen[0] || !seen[18] || len(seen) < 3 {
		t.Errorf("the best candidates were %v: want the first, the last and one between", seen)
	}
}
