package evaluation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// The excess of a small set is log p(c|x) by enumeration less that of the network's own decoder.
func TestInTurnAgainstEnumeration(t *testing.T) {
	const n = 7
	c := data.DefaultMoG().HeldOut(1, n, 0)
	c.Batch = 4
	config := models.Config{Dim: 2, Hidden: 8, Embed: 6, Global: 10}
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	net := must.M1(models.NewNetwork(backend, config, config.Init(rand.New(rand.NewPCG(1, 0)))))
	test := Test{Data: c, Sets: 6, Seed: 5}
	var model, exact float64
	for set, err := range uncentred(t.Context(), test) {
		must.M(err)
		prior := must.M1(priorOf(c).Prior(n))
		var logProb []float64
		for _, labels := range must.M1(posterior.Partitions(n)) {
			logProb = append(logProb, must.M1(likelihoodOf(c).LogLikelihood(set.original, labels))+
				prior(partition.New(labels).Size))
		}
		must.M1(posterior.Normalize(logProb))
		exact -= logProb[must.M1(posterior.PartitionIndex(set.Labels))] / 6
		sets := must.M1(sampling.Encode(net, set.X, 1, n))
		model -= must.M1(sets.Run(sets.EachSet(), &sampling.Given{Labels: [][]int32{set.Labels}})).LogProb[0] / 6
	}
	d := must.M1(InTurn(t.Context(), net, test))
	total := 0.0
	for _, part := range d.Parts {
		total += part
	}
	if d.Sets != 6 || math.Abs(d.Model-model) > 1e-4 || math.Abs(d.Exact-exact) > 0.05 ||
		math.Abs(total-d.Excess()) > 1e-9 || d.Early() != d.Parts[0]+d.Parts[1] {
		t.Errorf("%+v, want %.4f of the network and %.3f exact", d, model, exact)
	}
}
