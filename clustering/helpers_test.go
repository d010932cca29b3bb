package clustering

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
)

// newNet returns a small untrained network with weights times gain.
func newNet(gain float32) *models.Network {
	c := models.Config{Dim: 2, Hidden: 16, Embed: 8, Global: 24}
	ps := modelstest.Weights(c.Layout(), rand.New(rand.NewPCG(4, 0)), gain)
	return must.M1(models.NewNetwork(enginetest.Go(), c, ps))
}

// tinyNet is the network of most tests.
var tinyNet = sync.OnceValue(func() *models.Network { return newNet(2) })

// known is the range that the tests pretend the network was trained on.
func known() data.Config {
	c := data.DefaultMoG()
	c.NMin, c.NMax, c.AlphaMin, c.AlphaMax = 10, 60, 0.7, 7
	return c
}

// trainingSet returns a set of n points of the training distribution with its labels.
func trainingSet(t *testing.T, n int) (x []float32, labels []int32) {
	t.Helper()
	c := known()
	c.Batch, c.NMin, c.NMax, c.Stream = 1, n, n, "test"
	batch := must.M1(must.M1(data.NewMoG(c)).Batch(3, 0))
	return batch.X, batch.Labels
}

// tableLogProb returns log p(c|x) of labels in an order, from the energy table of the reordered set: another path
// through the network than decoding.
func tableLogProb(net *models.Network, x []float32, labels, order []int32) float64 {
	var points []float32
	var met []int32
	for _, i := range order {
		points = append(points, x[2*i], x[2*i+1])
		met = append(met, labels[i])
	}
	canon, _ := metrics.Canonical(met)
	return must.M1(metrics.LogProb(must.M1(net.Tables(points, canon, 1, len(order)))[0], canon))
}

// near wants got to equal want to tol relative (absolute below 1).
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.9g, want %.9g", what, got, want)
	}
}

// wantARI wants labels that agree with the truth but for a few.
func wantARI(t *testing.T, truth, labels []int32) {
	t.Helper()
	if ari := must.M1(metrics.ARI(truth, labels)); !(ari > 0.95) {
		t.Errorf("ARI %g, want above .95", ari)
	}
}

// hasWarning reports whether a warning holds all the words.
func hasWarning(warnings []string, words ...string) bool {
	return slices.ContainsFunc(warnings, func(w string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(w, word) })
	})
}

// scaled returns x·factor + shift.
func scaled(x []float32, factor, shift float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = v*factor + shift
	}
	return y
}
