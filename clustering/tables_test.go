package clustering

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// tableNet is the shipped network of tables.
var tableNet = sync.OnceValue(func() *models.Network {
	m := must.M1(train.ReadModel("../pretrained/embedded/table.safetensors"))
	return must.M1(m.Network(enginetest.Go()))
})

// threeShapes are n rows of three columns, in turn of a round cluster, a flat one and a long one.
func threeShapes(n int) (x []float32, labels []int32) {
	rng := rand.New(rand.NewPCG(9, 0))
	places := [][3]float64{{0, 0, 0}, {12, 0, 4}, {0, 14, -6}}
	widths := [][3]float64{{1, 1, 1}, {2, 0.3, 2}, {0.5, 0.4, 2.5}}
	for i := range n {
		for j := range 3 {
			x = append(x, float32(places[i%3][j]+widths[i%3][j]*rng.NormFloat64()))
		}
		labels = append(labels, int32(i%3))
	}
	return x, labels
}

// The network finds clusters of different shapes, in columns of any units, and predicts their rows. Progress counts up
// to its total.
func TestTablesOfThreeShapes(t *testing.T) {
	const n = 60
	x, want := threeShapes(n)
	o := testOptions()
	last, total := 0, 0
	o.Progress = func(_ string, done, all int) {
		if done != last+1 {
			t.Errorf("progress jumps from %d to %d", last, done)
		}
		last, total = done, all
	}
	known := data.DefaultTables()
	r := must.M1(Cluster(t.Context(), tableNet(), known, x, n, 3, o))
	wantARI(t, want, r.Labels)
	if last == 0 || last != total {
		t.Errorf("progress ends at %d of %d", last, total)
	}
	if r.View == nil || r.View.Dim != data.TableDim || len(r.Center) != 3 || len(r.Warnings) != 0 {
		t.Errorf("view %+v, center %v, warnings %v", r.View, r.Center, r.Warnings)
	}
	o.Progress = nil
	p := must.M1(Predict(t.Context(), tableNet(), known, r.Network, x, n, 3, DefaultOptions()))
	wantARI(t, want, p.Labels)
	for i := range x { // other units
		x[i] = x[i]*[]float32{100, -0.25, 8}[i%3] + 50
	}
	wantARI(t, want, must.M1(Cluster(t.Context(), tableNet(), known, x, n, 3, o)).Labels)
}

// Rows beyond a subset are seen as those of the subset are.
func TestSubsetOfTables(t *testing.T) {
	const n = 2100
	x, want := threeShapes(n)
	o := testOptions()
	o.subset, o.Samples = 100, 4
	r := must.M1(Cluster(t.Context(), tableNet(), data.DefaultTables(), x, n, 3, o))
	wantARI(t, want, r.Labels)
	if r.Subset == nil {
		t.Error("no subset")
	}
}
