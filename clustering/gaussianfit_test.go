package clustering

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/posterior"
)

// Groups that are no Gaussians are told as what they are, with a remedy; Gaussian ones are not.
func TestExactTellsMisfits(t *testing.T) {
	var rng *rand.Rand
	const n = 300
	for name, c := range map[string]struct {
		draw func(i int) [2]float64
		want string // "": none
	}{
		"Gaussians": {func(i int) [2]float64 {
			return [2]float64{rng.NormFloat64() + 9*float64(i%2), 3 * rng.NormFloat64()}
		}, ""},
		"ring": {func(int) [2]float64 {
			angle, radius := 2*math.Pi*rng.Float64(), 10+0.2*rng.NormFloat64()
			return [2]float64{radius * math.Cos(angle), radius * math.Sin(angle)}
		}, "neighbouring clusters are one group"},
		"squares": {func(i int) [2]float64 {
			return [2]float64{rng.Float64() + 2*float64(i%2), rng.Float64() + 2*float64(i/2%2)}
		}, "the clusters end sharply"},
		"strings": {func(i int) [2]float64 {
			at := float64(i / 4)
			return [2]float64{at + 0.02*rng.NormFloat64(), at + 20*float64(i%4) + 0.02*rng.NormFloat64()}
		}, "the clusters end sharply"},
		"few values": {func(int) [2]float64 {
			return [2]float64{math.Round(1.2 * rng.NormFloat64()), rng.NormFloat64()}
		}, "Gaussian clusters do not describe the points"},
	} {
		var x []float64
		rng = data.Rand(7, "misfit/"+name, 0)
		for i := range n {
			at := c.draw(i)
			x = append(x, at[:]...)
		}
		o := quick()
		o.Refine, o.KeepPieces = "80", true
		r := must.M1(Exact(t.Context(), x, n, 2, o))
		told := slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool {
			return strings.Contains(w, "chains") // eighty sweeps are few
		})
		if c.want == "" && len(told) > 0 || c.want != "" && !strings.Contains(strings.Join(told, "\n"), c.want) {
			t.Errorf("%s: warnings %q, want %q; %+v", name, told, c.want, *r.Refinement.Gaussian)
		}
	}
}

// Clusters without volume are told apart from those that are not Gaussian.
func TestFlatClustersAreTold(t *testing.T) {
	for share, want := range map[float64]int{0.09: 0, 0.1: 1} {
		p := &prepared{}
		fit := posterior.GaussianFit{Light: 1, Heavy: 1, Skew: 1, Close: 1, Even: 1, Flat: share}
		p.warnGaussian(&Refinement{Gaussian: &fit})
		if len(p.warnings) != want || want == 1 && !hasWarning(p.warnings, "some direction has no width") {
			t.Errorf("share %v: warnings %q", share, p.warnings)
		}
	}
}
