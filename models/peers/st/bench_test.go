package st_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/st"
)

// BenchmarkStep is the loss and the gradient of ST with the published sizes, on small and on middling sets.
func BenchmarkStep(b *testing.B) {
	for _, n := range []int{100, 500} {
		b.Run(fmt.Sprintf("16 sets of %d points", n), func(b *testing.B) {
			m := st.New(models.Default(2), peers.Default(true))
			rng := rand.New(rand.NewPCG(1, 0))
			ps, batch, f := m.Layout().Init(rng), mixtures(rng, 16, n, 6, 10), step(b, m)
			evaluate(b, m, f, ps, rng, batch, models.FineBuckets) // compile
			for b.Loop() {
				evaluate(b, m, f, ps, rng, batch, models.FineBuckets)
			}
		})
	}
}
