package clustering

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

func TestParseAlpha(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "1": 1, "0.7": 0.7, "1e-3": 1e-3, "1000": 1000} {
		if alpha, err := parseAlpha(text); err != nil || alpha != want {
			t.Errorf("%q is %v, %v, want %v", text, alpha, err, want)
		}
	}
	for _, text := range []string{"a", "0", "-1", "0.7..7", "1..", "NaN", "1e4", "1e-4"} {
		if _, err := parseAlpha(text); !usererr.Is(err) {
			t.Errorf("%q gave %v", text, err)
		}
	}
}

// α reaches the prior of K and a network that has it as an input; elsewhere a warning says so.
func TestAlpha(t *testing.T) {
	const n = 24
	x, _ := trainingSet(t, n)
	cluster := func(net *models.Network, alpha string) *Result {
		o := testOptions()
		o.Alpha = alpha
		return must.M1(Cluster(t.Context(), net, known(), x, n, 2, o))
	}
	meanPrior := func(r *Result) (mean float64) {
		total := 0.0
		for _, k := range r.KPrior {
			mean, total = mean+float64(k.K)*k.P, total+k.P
		}
		near(t, "sum of the prior", total, 1, 1e-6)
		return mean
	}
	plain, low, high := cluster(tinyNet(), ""), cluster(tinyNet(), "0.1"),
		cluster(tinyNet(), "50")
	if !(meanPrior(low) < meanPrior(plain) && meanPrior(plain) < meanPrior(high)) {
		t.Errorf("prior means %v, %v, %v", meanPrior(low), meanPrior(plain), meanPrior(high))
	}
	if !reflect.DeepEqual(low.Samples, high.Samples) {
		t.Error("α moved the samples of a network that does not read it")
	}
	if !hasWarning(low.Warnings, "no α as an input") || hasWarning(plain.Warnings, "no α as an input") {
		t.Errorf("a network without α: warnings %q", low.Warnings)
	}
	c := models.Config{Dim: 2, Hidden: 16, Embed: 8, Global: 24, Moments: true, Alpha: true}
	ps := c.Init(rand.New(rand.NewPCG(4, 0)))
	for i := range ps[len(ps)-1].Data {
		ps[len(ps)-1].Data[i] *= 20 // what is read of the counts and of α
	}
	net := must.M1(models.NewNetwork(goBackend(), c, ps))
	told, untold := cluster(net, "1"), cluster(net, "")
	if reflect.DeepEqual(told.Samples, untold.Samples) {
		t.Error("the network does not heed a known α")
	}
	if warnings := cluster(net, "90").Warnings; !hasWarning(warnings, "outside") {
		t.Errorf("warnings of an α beyond the training %q", warnings)
	}
	o, fixed := testOptions(), known()
	o.Alpha, fixed.FixedK = "1", 3
	if _, err := Cluster(t.Context(), tinyNet(), fixed, x, n, 2, o); !usererr.Is(err) {
		t.Errorf("α of a model with a fixed K gave %v", err)
	}
}
