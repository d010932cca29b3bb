package losses_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
)

// Paddings: none, the Go backend's, and one that adds something everywhere.
var (
	exact   = models.Buckets{Points: plus(0), Rows: plus(0), Slots: plus(0)}
	loose   = models.Buckets{Points: plus(5), Rows: plus(7), Slots: plus(3)}
	buckets = map[string]models.Buckets{"exact": exact, "fine": models.FineBuckets, "loose": loose}
)

func plus(extra int) func(int) int { return func(n int) int { return n + extra } }

// problem is a tiny network with a batch of labelled sets and other labels of the same points.
type problem struct {
	config   models.Config
	params   models.Params
	b, n     int
	x        []float32 // [B,N,D]
	labels   []int32   // [B,N]
	negative []int32   // [B,N]
}

// newProblem draws a problem.
func newProblem(seed uint64, online bool, b, n int) *problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &problem{config: models.Config{Dim: 2, Hidden: 8, Embed: 6, Global: 10, Online: online}, b: b, n: n}
	p.params = modelstest.Weights(p.config.Layout(), rng, 2.5)
	p.x = make([]float32, b*n*p.config.Dim)
	for i := range p.x {
		p.x[i] = float32(rng.NormFloat64())
	}
	for range b {
		p.labels = append(p.labels, randomLabels(rng, n)...)
		p.negative = append(p.negative, randomLabels(rng, n)...)
	}
	return p
}

func randomLabels(rng *rand.Rand, n int) []int32 {
	labels := make([]int32, n)
	k := int32(0)
	for i := range labels {
		labels[i] = rng.Int32N(k + 1)
		k = max(k, labels[i]+1)
	}
	return labels
}

// set returns the points, labels and negative labels of one set.
func (p *problem) set(i int) (x []float32, labels, negative []int32) {
	d := p.config.Dim
	return p.x[i*p.n*d : (i+1)*p.n*d], p.labels[i*p.n : (i+1)*p.n], p.negative[i*p.n : (i+1)*p.n]
}

// lossFunc builds results from the energy table and the final energies [B] of the negative labels.
type lossFunc func(t models.Table, negative *graph.Node) []*graph.Node

// inputs returns the weights and the padded batch as tensors.
func (p *problem) inputs(pad models.Buckets) []*tensors.Tensor {
	c := must.M1(models.ListCandidates(p.labels, p.b, p.n, pad))
	in := append(p.params.Tensors(), c.PadPoints(p.x, p.config.Dim))
	in = append(in, c.Tensors()...)
	return append(in, models.PadLabels(slices.Collect(slices.Chunk(p.negative, p.n)), c.N, pad)...)
}

// values evaluates the graph of build.
func (p *problem) values(t *testing.T, pad models.Buckets, build lossFunc) [][]float32 {
	t.Helper()
	return enginetest.Run(t, func(in []*graph.Node) []*graph.Node { return build(p.table(in)) }, p.inputs(pad)...)
}

func (p *problem) table(in []*graph.Node) (models.Table, *graph.Node) {
	weights := len(p.params)
	folded := models.Fold(p.config, in[:weights])
	table := folded.Table(models.ListedInputs(in[weights:], false))
	rest := in[weights+models.NumListedInputs:]
	return table, folded.FinalEnergy(table, rest[0], rest[1])
}

// gradients evaluates the gradient of each scalar result of build by all weights: [result][weight tensor][value].
func (p *problem) gradients(t *testing.T, pad models.Buckets, build lossFunc) [][][]float32 {
	t.Helper()
	weights := len(p.params)
	flat := enginetest.Run(t, func(in []*graph.Node) []*graph.Node {
		var out []*graph.Node
		for _, loss := range build(p.table(in)) {
			out = append(out, graph.Gradient(loss, in[:weights]...)...)
		}
		return out
	}, p.inputs(pad)...)
	return slices.Collect(slices.Chunk(flat, weights))
}

// assertClose asks for |got − want| ≤ relative·max(floor, |want|).
func assertClose(t *testing.T, what string, got, want, relative, floor float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Max(floor, math.Abs(want))) {
		t.Errorf("%s = %.9g, want %.9g", what, got, want)
	}
}
