package losses_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// The term equals logistic regression on the product of the network's own embeddings, whatever the padding.
func TestPairLikelihood(t *testing.T) {
	const b, n = 3, 7
	p := newProblem(5, false, b, n)
	rng := rand.New(rand.NewPCG(6, 0))
	for i := range p.x { // embeddings of some size
		p.x[i] *= float32(1 + 3*rng.Float64())
	}
	net := must.M1(models.NewNetwork(enginetest.Go(), p.config, p.params))
	h, _ := must.M2(net.Encode(p.x, n))
	width := p.config.Hidden
	for name, pad := range buckets {
		got := p.values(t, pad, func(table models.Table, _ *graph.Node) []*graph.Node {
			return []*graph.Node{losses.PairLikelihood(table.Pairs())}
		})[0]
		for set := range b {
			want := 0.0
			for i := range n {
				for j := range n {
					if i == j {
						continue
					}
					product := 0.0
					for k := range width {
						term := float64(h[(set*n+i)*width+k]) * float64(h[(set*n+j)*width+k])
						if k >= width/2 {
							term = -term
						}
						product += term
					}
					together := 1 / (1 + math.Exp(1-product))
					if p.labels[set*n+i] != p.labels[set*n+j] {
						together = 1 - together
					}
					want -= math.Log(together) / (n - 1)
				}
			}
			assertClose(t, name, float64(got[set]), want, 1e-4, 1)
		}
	}
}
