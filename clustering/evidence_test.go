package clustering

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfncp/gfncp/data"
)

// The closed form equals numeric integration over the cluster's mean, for one coordinate of one cluster.
func TestLogEvidenceIntegratesTheMean(t *testing.T) {
	known := data.DefaultMoG()
	known.Dim, known.AlphaMin, known.AlphaMax, known.SigmaMu, known.SigmaX = 1, 1, 1, 3, 0.7
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
	want := math.Log(integral) + math.Log(3*2*1) // (n−1)! of the restaurant process
	if got := logEvidence(known, x, []int32{0, 0, 0, 0}, 1, 1); !(math.Abs(got-want) <= 1e-6) {
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
		if e := logEvidence(known, x, labels, 4, 2) + float64(len(z))*math.Log(f); e > most {
			best, most = f, e
		}
	}
	if best != 20 {
		t.Errorf("the best factor is %g, want 20", best)
	}
}
