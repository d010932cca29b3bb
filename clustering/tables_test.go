package clustering

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// tableNet is the shipped network of tables.
var tableNet = sync.OnceValue(func() *models.Network {
	m := must.M1(train.ReadModel("../pretrained/embedded/table.safetensors"))
	return must.M1(m.Network(goBackend()))
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
// to its total. The same seed gives the same result.
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
	if again := must.M1(Cluster(t.Context(), tableNet(), known, x, n, 3, o)); !reflect.DeepEqual(again, r) {
		t.Error("the same seed gives another result")
	}
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

func TestTablesFaults(t *testing.T) {
	const n = 12
	x, _ := threeShapes(n)
	constant := make([]float32, 3*n)
	bad := append([]float32(nil), x...)
	bad[5] = float32(math.Inf(1))
	for name, c := range map[string]struct {
		x     []float32
		d     int
		scale float64
		want  string
	}{
		"constant columns": {constant, 3, 0, "give columns that vary"},
		"scale":            {x, 3, 2.5, "Scale 2.5 has no meaning for tables"},
		"columns":          {make([]float32, 65*n), 65, 0, "65 columns, but models of tables take at most 64"},
		"not finite":       {bad, 3, 0, ""},
	} {
		o := testOptions()
		o.Scale = c.scale
		var fault *usererr.Error
		_, err := Cluster(t.Context(), tableNet(), data.DefaultTables(), c.x, n, c.d, o)
		if err == nil || c.want != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Cluster(ctx, tableNet(), data.DefaultTables(), x, n, 3, testOptions())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
