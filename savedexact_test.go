package gfncp

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/metrics"
)

// A clustering without a model comes back from its file and predicts the same to the last bit; a changed file is told.
func TestSaveExactlyAndPredict(t *testing.T) {
	const n = 40
	x32, _ := points(n + 10)
	x := data.Float64s(x32)
	o := DefaultOptions()
	o.Samples, o.Refine = 20, "60"
	r := must.M1(ClusterExactly(t.Context(), x[:2*n], n, o))
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "c.json"), filepath.Join(dir, "c.json.gz")
	columns := Columns{Names: []string{"x", "y"}, Encoding: &tabular.Encoding{Columns: []tabular.Code{
		{Name: "x", Kind: tabular.Number, Scale: 1}, {Name: "y", Kind: tabular.Number, Scale: 2},
	}}}
	for _, path := range []string{plain, packed} {
		must.M(SaveExactly(path, r.Exact, columns))
		s := must.M1(ReadSaved(path))
		if s.Fitted != nil || s.Len() != n || s.Model != ModelExact || !reflect.DeepEqual(s.Columns, columns) ||
			!reflect.DeepEqual(s.Exact, r.Exact) {
			t.Errorf("%s: %+v came back as %+v", path, r.Exact, s)
		}
		want := must.M1(r.Exact.Predict(t.Context(), x[2*n:], 10, 2, DefaultPredictOptions()))
		got := must.M1(s.Exact.Predict(t.Context(), x[2*n:], 10, 2, DefaultPredictOptions()))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: predictions differ", path)
		}
		if _, err := s.Open("mog-ncp"); err == nil || !strings.Contains(err.Error(), "without a model") {
			t.Errorf("%s: opened with a model: %v", path, err)
		}
	}
	pieces := *r.Exact
	pieces.Samples = slices.Clone(pieces.Samples)
	pieces.Samples[0].Groups = make([]int32, metrics.Clusters(pieces.Samples[0].Labels)) // all are one cluster
	must.M(SaveExactly(packed, &pieces, columns))
	if s := must.M1(ReadSaved(packed)); !reflect.DeepEqual(s.Exact, &pieces) {
		t.Errorf("pieces came back as %+v", s.Exact.Samples[0])
	}
	text := string(must.M1(os.ReadFile(plain)))
	must.M(os.WriteFile(plain, []byte(strings.Replace(text, `"alpha":0.3`, `"alpha":0.4`, 1)), 0o600))
	if _, err := ReadSaved(plain); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("another α: %v", err)
	}
	bad := *r.Exact
	bad.Samples = nil
	if err := SaveExactly(plain, &bad, columns); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("no samples: %v", err)
	}
}

// A file from before directions were drawn predicts what the program that wrote it did.
func TestOlderExactFilesPredict(t *testing.T) {
	s := must.M1(ReadSaved("testdata/exact-2026-11-22.json.gz"))
	p := must.M1(s.Exact.Predict(t.Context(), []float64{0, 0, 8, 0, 4, 0, 100, 100}, 4, 2, DefaultPredictOptions()))
	if want := []int32{0, 3, -1, -1}; s.Len() != 14 || !slices.Equal(p.Labels, want) {
		t.Errorf("%d points; labels %v, want %v", s.Len(), p.Labels, want)
	}
	want := []float64{0.785197, 0.001409, 0.015858, 0.000907, 0.018752, 0.177877}
	if !floats.EqualApprox(p.Probabilities[0], want, 1e-6) {
		t.Errorf("probabilities %v, want %v", p.Probabilities[0], want)
	}
}
