package train_test

import (
	"fmt"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// BenchmarkStep times one whole training step, the negative sample included, after one step that compiles the graphs.
func BenchmarkStep(b *testing.B) {
	for _, model := range []string{train.GFNCP, train.NCP} {
		for _, size := range []struct{ sets, points int }{{64, 75}, {16, 300}} {
			b.Run(fmt.Sprintf("%s/B=%d,N=%d,K=4", model, size.sets, size.points), func(b *testing.B) {
				c := train.Default(model)
				c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Data.FixedK = size.sets, size.points, size.points, 4
				c.Loss.Beta = 1
				backend := must.M1(must.M1(engine.Choose("go")).Open())
				defer backend.Finalize()
				trainer := must.M1(train.New(backend, sources.Source, c))
				must.M1(trainer.Advance())
				b.ResetTimer()
				for b.Loop() {
					must.M1(trainer.Advance())
				}
			})
		}
	}
}
