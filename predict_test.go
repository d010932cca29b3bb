package gfncp

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/posterior"
)

// onGo are the default options on the Go backend.
func onGo() *Options {
	o := DefaultOptions()
	o.Backend = "go"
	return o
}

// clustered opens a shipped model and clusters 40 points of a training set; 20 more are new.
func clustered(t *testing.T, name string) (m *Model, c *Clustering, more *Points) {
	t.Helper()
	m = opened(t, name)
	x, _ := trainingSet(60)
	o := DefaultOptions()
	o.Samples = 20
	return m, must.M1(m.Cluster(t.Context(), pointsOf(x[:80], 40), o)), pointsOf(x[80:], 20)
}

// pointsOf are n points x of columns x and y.
func pointsOf(x []float32, n int) *Points { return must.M1(NewPoints(data.Float64s(x), n, "x", "y")) }

// Further points are found by the names of their columns, in any order; other names are refused.
func TestPredictByNames(t *testing.T) {
	_, c, more := clustered(t, "mog-ncp")
	want := must.M1(c.Predict(t.Context(), more, nil))
	c.Labels[0], c.Columns()[0] = 7, "changed" // the caller's copies
	var values, swapped []float64
	for i := range more.Len() {
		x, y := more.in.Table().Columns[0].Values[i], more.in.Table().Columns[1].Values[i]
		values, swapped = append(values, x, y), append(swapped, y, x)
	}
	for _, same := range []*Points{
		must.M1(NewPoints(swapped, more.Len(), "y", "x")), must.M1(NewPoints(values, more.Len())),
	} {
		if got := must.M1(c.Predict(t.Context(), same, nil)); !reflect.DeepEqual(got.Labels, want.Labels) {
			t.Errorf("columns %v: labels %v, want %v", same.in.Columns, got.Labels, want.Labels)
		}
	}
	other := must.M1(NewPoints(values, more.Len(), "x", "z"))
	refused(t, second(c.Predict(t.Context(), other, nil)), "has no column y")
}

// Named columns stand for the columns of a clustered table, in its order.
func TestPredictNamedColumns(t *testing.T) {
	x, _ := trainingSet(60)
	c := must.M1(Cluster(t.Context(), pointsOf(x[:80], 40), nil))
	dir := t.TempDir()
	write := func(name, text string) string { return testfiles.Write(t, []byte(text), dir, name) }
	o := files.Options{}
	o.Columns = []string{"b", "a"}
	named := must.M1(c.ReadPoints(write("named.csv", "a,b\n2,1\n-4,3\n"), &o))
	plain := must.M1(c.ReadPoints(write("plain.csv", "x,y,class,label\n1,2,,\n3,-4,,\n"), nil))
	got, want := must.M1(c.Predict(t.Context(), named, nil)), must.M1(c.Predict(t.Context(), plain, nil))
	if !reflect.DeepEqual(got.Probabilities, want.Probabilities) {
		t.Errorf("%v, want %v", got.Probabilities, want.Probabilities)
	}
	read := must.M1(ReadPoints(write("gaps.csv", "x,y\n1,2\n3,-4\n1,99\n2,2\n"), &FileOptions{Missing: []string{"99"}}))
	coded := must.M1(Decode("", must.M1(must.M1(Cluster(t.Context(), read, nil)).Encode())))
	if got := must.M1(coded.Predict(t.Context(), pointsOf([]float32{1, 99}, 1), nil)); len(got.Warnings) > 0 {
		t.Errorf("99 is a value: %v", got.Warnings) // out of the range
	}
}

// What is saved comes back and predicts the same; the same clustering gives the same bytes.
func TestSaveAndPredict(t *testing.T) {
	m, c, more := clustered(t, "mog-ncp")
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "c.json"), filepath.Join(dir, "c.json.gz")
	must.M(c.Save(plain))
	must.M(c.Save(packed))
	want := must.M1(c.Predict(t.Context(), more, nil))
	for _, path := range []string{plain, packed} {
		read := must.M1(Read(path))
		if !reflect.DeepEqual(read.Network, c.Network) || !slices.Equal(read.Columns(), []string{"x", "y"}) ||
			!slices.Equal(read.Labels, c.Labels) || read.K != c.K || !reflect.DeepEqual(read.KPosterior, c.KPosterior) {
			t.Errorf("%s: %+v came back as %+v", path, c.Network, read)
		}
		got := must.M1(read.Predict(t.Context(), more, onGo()))
		if !reflect.DeepEqual(got, want) || got.Model != "mog-ncp" {
			t.Errorf("%s: predictions of %s differ", path, got.Model)
		}
		must.M(read.Use(m))
		must.M(read.Use(nil))
		must.M(read.Use(m))
		if got := must.M1(read.Predict(t.Context(), more, nil)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: predictions by an open model differ", path)
		}
	}
	first := must.M1(os.ReadFile(packed))
	must.M(c.Save(packed))
	if !bytes.Equal(first, must.M1(os.ReadFile(packed))) {
		t.Error("the same clustering was saved as other bytes")
	}
	if small := must.M1(os.Stat(packed)).Size(); small >= must.M1(os.Stat(plain)).Size() {
		t.Errorf("packed it takes %d bytes", small)
	}
}

func TestReadSavedFaults(t *testing.T) {
	_, c, more := clustered(t, "mog-ncp")
	path := filepath.Join(t.TempDir(), "c.json")
	must.M(c.Save(path))
	good := string(must.M1(os.ReadFile(path)))
	for text, want := range map[string]string{
		`{"labels": [0, 1]}`: "is no saved clustering",
		"x,y\n1,2\n":         "is no saved clustering",
		good + good:          "is no saved clustering",
		good[:len(good)/2]:   "is no saved clustering, or cut short; write it anew",
		strings.Replace(good, `"version":3`, `"version":2`, 1): "has version 2",
		strings.Replace(good, `"factor":`, `"factor":1`, 1):    "is damaged",
	} {
		must.M(os.WriteFile(path, []byte(text), 0o600))
		refused(t, second(Read(path)), path+": "+want)
	}
	var file savedFile // whose parts do not fit together
	must.M(json.Unmarshal([]byte(good), &file))
	file.Clustering = json.RawMessage(strings.Replace(string(file.Clustering), `"factor":`, `"factor":-`, 1))
	file.SHA256 = digest(file.Clustering)
	refused(t, second(Decode("odd", must.M1(json.Marshal(file)))), "odd: holds a clustering that this program can")
	spaced := strings.ReplaceAll(strings.ReplaceAll(good, `,"`, `, "`), `":`, `": `)
	must.M(os.WriteFile(path, []byte(spaced), 0o600))
	s := must.M1(Read(path)) // spaces do no harm
	o := onGo()
	o.Model = filepath.Join(weights, "mog-gfncp.safetensors")
	refused(t, second(s.Predict(t.Context(), more, o)), "other weights")
	refused(t, second(Read(path+"x")), path+"x: no such file")
}

// The network with free flows predicts as the exact posterior of its mixture does: over all partitions of seven points
// by their exact probabilities, the total variation between its probabilities of the clusters of the likeliest one and
// those of enumeration is below 0.1 for each new point, and 0.02 on average. (It was 0.012 on average, 0.058 at most.)
func TestPredictAgainstTheExactPosterior(t *testing.T) {
	const n, sets = 7, 12
	m := must.M1(Open(filepath.Join("pretrained", "embedded", "mog-gfncp-free.safetensors"), onGo()))
	defer m.Close()
	known := m.Config().Data
	known.Batch, known.NMin, known.NMax, known.Stream = sets, n+1, n+1, "predict"
	batch := must.M1(must.M1(data.NewMoG(known)).Batch(7, 0))
	model := posterior.Gaussian{Dim: 2, Tau: known.SigmaMu, Sigma: known.SigmaX}
	crp := posterior.CRP{Alpha: known.AlphaMin, AlphaMax: known.AlphaMax}
	of := func(x []float32) *posterior.Distribution {
		return posterior.EnumerateCentred(model, must.M1(crp.Prior(len(x)/2)), data.Float64s(x))
	}
	total := 0.0
	for set := range sets {
		x, _ := batch.Set(set)
		before, after := of(x[:2*n]), of(x)
		f := &clustering.NetworkFit{X: x[:2*n], D: 2, Center: data.MedianCenter(slices.Clone(x[:2*n]), n, 2), Factor: 1}
		best := math.Inf(-1)
		for i, labels := range before.Labels {
			p := before.LogProb[i]
			if count := int(1e6 * math.Exp(p)); count > 0 {
				f.Samples = append(f.Samples, posterior.Distinct{Labels: labels, Count: count})
			}
			if p > best {
				best, f.Labels = p, labels
			}
		}
		c := &Clustering{Result: &clustering.Result{Network: f}, model: m}
		c.axes.Columns = []string{"x", "y"}
		got := must.M1(c.Predict(t.Context(), pointsOf(x[2*n:], 1), &Options{Samples: 1e6})).Probabilities[0]
		distance := 0.0
		for k, p := range exactPrediction(f, after) {
			distance += math.Abs(p-got[k]) / 2
		}
		if total += distance; distance > 0.1 {
			t.Errorf("set %d: total variation %.3f", set, distance)
		}
	}
	if total/sets > 0.02 {
		t.Errorf("total variation %.3f on average", total/sets)
	}
}

// exactPrediction averages p(c_new | c, x, x_new) over the samples c, given the posterior of all points, the new one
// last.
func exactPrediction(f *clustering.NetworkFit, after *posterior.Distribution) []float64 {
	n := len(f.Labels)
	k := int(slices.Max(f.Labels)) + 1
	row, draws := make([]float64, k+1), 0
	for _, s := range f.Samples {
		draws += s.Count
	}
	for _, s := range f.Samples {
		partner := posterior.Match(s.Labels, f.Labels, int32(k))
		mass, sum := make([]float64, len(partner)+1), 0.0
		for j := range mass {
			at := posterior.PartitionIndex(after.Labels, append(slices.Clone(s.Labels[:n]), int32(j)))
			mass[j] = math.Exp(after.LogProb[at])
			sum += mass[j]
		}
		for j, v := range mass {
			to := k
			if j < len(partner) {
				to = int(partner[j])
			}
			row[to] += v / sum * float64(s.Count) / float64(draws)
		}
	}
	return row
}

// Faults of points are told, and leave the stream as it was. A stream like a clustering takes its centre
// and its scale.
func TestStreams(t *testing.T) {
	m := opened(t, "mog-gfncp-online")
	_, like, _ := clustered(t, "mog-ncp")
	like.Network.Center, like.Network.Factor = []float32{3, 4}, 2
	s := must.M1(m.Stream(like))
	zero := 0.0
	for _, x := range [][]float64{{1}, {1, zero / zero}, {3e38, 0}} {
		var fault *Error
		if _, err := s.Next(x); !errors.As(err, &fault) || s.Points() != 0 {
			t.Errorf("point %v: %v, %d points", x, err, s.Points())
		}
	}
	plain := must.M1(m.Stream(nil))
	for _, x := range [][]float64{{4, 4}, {9, 1}} {
		got, want := must.M1(s.Next(x)), must.M1(plain.Next([]float64{2 * (x[0] - 3), 2 * (x[1] - 4)}))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("point %v: %+v, want %+v", x, got, want)
		}
	}
	if far := must.M1(s.Next([]float64{-70, 0})).Warning; !strings.Contains(far, "point 3 lies at") {
		t.Errorf("warning %q", far)
	}
	for _, far := range []float64{3e5, 1e300} {
		if _, err := s.Next([]float64{far, 0}); !errors.Is(err, ErrNotFinite) || s.Points() != 3 {
			t.Errorf("a point too far out: %v, %d points", err, s.Points())
		}
	}
	like.axes.Columns = nil
	refused(t, second(m.Stream(like)), "no clustering of points with one") // of images
}
