package st_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/st"
)

// imageMethod is a small ST for images.
func imageMethod(clusters int) *st.Method {
	net := models.DefaultImages()
	net.Embed = 8
	return st.New(net, peers.Config{Width: 8, Heads: 2, Inducing: 3, Clusters: clusters})
}

// imageBatch draws two sets of four images of noise, in clusters 0 0 1 1 and 0 1 0 1.
func imageBatch(rng *rand.Rand) *data.Batch {
	batch := data.NewBatch(2, 4, models.ImageSide*models.ImageSide)
	for i := range batch.X {
		batch.X[i] = float32(2*rng.Float64() - 1)
	}
	copy(batch.Labels, []int32{0, 0, 1, 1, 0, 1, 0, 1})
	return batch
}

func assertClose(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// The loss is linear in share and adds up over the sets: a batch cut into shards gives the same.
func TestLossAddsUpOverSets(t *testing.T) {
	m, rng := small(3), rand.New(rand.NewPCG(2, 0))
	ps, f, batch := m.Layout().Init(rng), step(t, m), mixtures(rng, 4, 10, 3, 5)
	want, _ := evaluate(t, m, f, ps, nil, batch, exact)
	var got float64
	for part := range 2 {
		loss, _ := evaluate(t, m, f, ps, nil, batch.Slice(2*part, 2*part+2), exact) // with share 1/2, not 1/4
		got += loss / 2
	}
	assertClose(t, "loss of two halves", got, want, 1e-5)
}

func TestOpenRefusesOtherWeights(t *testing.T) {
	ps := small(4).Layout().Init(rand.New(rand.NewPCG(6, 0)))
	if _, err := small(5).Open(goBackend(), ps); err == nil {
		t.Error("the weights of four components were taken for those of five")
	}
}

// Image nets cluster, drop units by the state of rng and only with one, and refuse sets of more clusters than
// components.
func TestImages(t *testing.T) {
	m, rng := imageMethod(2), rand.New(rand.NewPCG(7, 0))
	ps, f, batch := m.Layout().Init(rng), step(t, m), imageBatch(rng)
	for _, labels := range must.M1(must.M1(m.Open(goBackend(), ps)).Cluster(nil, batch.X, batch.B, batch.N)) {
		if canon, k := metrics.Canonical(labels); k > 2 || len(labels) != batch.N || !slices.Equal(canon, labels) {
			t.Errorf("labels %v", labels)
		}
	}
	drop := func(seed uint64) float64 {
		loss, _ := evaluate(t, m, f, ps, rand.New(rand.NewPCG(seed, 0)), batch, exact)
		return loss
	}
	none, _ := evaluate(t, m, f, ps, nil, batch, exact)
	if drop(1) != drop(1) || drop(1) == drop(2) || drop(1) == none {
		t.Errorf("losses %g and %g with dropout, %g without", drop(1), drop(2), none)
	}
	_, gradient := evaluate(t, m, f, ps, nil, batch, exact)
	if slices.Max(gradient[0]) == 0 && slices.Min(gradient[0]) == 0 {
		t.Error("the encoder gets no gradient")
	}
	batch.Labels[3] = 2
	if _, err := m.Inputs(nil, batch, exact); !usererr.Is(err) {
		t.Errorf("a set of three clusters for two components: %v", err)
	}
}

// Inputs leaves the batch alone and pads with invalid points.
func TestInputs(t *testing.T) {
	batch := mixtures(rand.New(rand.NewPCG(8, 0)), 2, 3, 2, 1)
	before := slices.Clone(batch.X)
	in := must.M1(small(2).Inputs(nil, batch, models.Buckets{Points: func(int) int { return 4 }}))
	if len(in) != 2 {
		t.Fatalf("%d inputs, want 2", len(in))
	}
	want := slices.Concat(before[:6], []float32{0, 0}, before[6:], []float32{0, 0})
	if x := must.M1(engine.Float32s(in[0])); !slices.Equal(x, want) || !slices.Equal(batch.X, before) {
		t.Errorf("points %v, want %v", x, want)
	}
	valid := must.M1(tensors.CopyFlatData[bool](in[1]))
	if want := []bool{true, true, true, false, true, true, true, false}; !slices.Equal(valid, want) {
		t.Errorf("mask %v, want %v", valid, want)
	}
}
