package sampling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// benchNet is a network of the paper's size for two-dimensional points; its weights do not matter for the time.
func benchNet() *models.Network {
	c := models.Default(2)
	return must.M1(models.NewNetwork(goBackend(), c, c.Init(rand.New(rand.NewPCG(1, 1)))))
}

func benchBatch(b, n, k int) *data.Batch {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK = b, n, n, k
	return must.M1(must.M1(data.NewMoG(c)).Batch(1, 0))
}

func trueLabels(batch *data.Batch) [][]int32 {
	labels := make([][]int32, batch.B)
	for b := range labels {
		_, labels[b] = batch.Set(b)
	}
	return labels
}

// benchmarkRun reports the time of one decision of one sequence beside the time of a run.
func benchmarkRun(b *testing.B, batch *data.Batch, policy Policy) {
	net := benchNet()
	for b.Loop() {
		sets := must.M1(Encode(net, batch.X, batch.B, batch.N))
		must.M1(sets.Run(sets.EachSet(), policy))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.B*batch.N), "ns/point")
}

// BenchmarkGreedy decodes batches of 4 clusters a set. A network without training finds another number of clusters, so
// "given", which follows the true labels, is the time to expect of a trained one: the work is the same.
func BenchmarkGreedy(b *testing.B) {
	for _, size := range []struct{ b, n int }{{64, 75}, {16, 300}} {
		batch := benchBatch(size.b, size.n, 4)
		for name, policy := range map[string]Policy{"greedy": Greedy{}, "given": &Given{Labels: trueLabels(batch)}} {
			b.Run(fmt.Sprintf("B=%d/N=%d/%s", size.b, size.n, name),
				func(b *testing.B) { benchmarkRun(b, batch, policy) })
		}
	}
}

// BenchmarkOneSet decodes one set: the time of a point should not depend on N, and grow slower than K.
func BenchmarkOneSet(b *testing.B) {
	for _, size := range []struct{ n, k int }{{1000, 6}, {10000, 6}, {1000, 50}} {
		batch := benchBatch(1, size.n, size.k)
		policy := &Given{Labels: trueLabels(batch)}
		b.Run(fmt.Sprintf("N=%d/K=%d", size.n, size.k), func(b *testing.B) { benchmarkRun(b, batch, policy) })
	}
}
