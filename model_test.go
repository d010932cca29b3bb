package gfncp

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/train"
)

// weights are the project's own models, which this test does not import: package pretrained imports this one.
const weights = "pretrained/weights"

// opened is a shipped model, open until the test ends.
func opened(t testing.TB, name string) *Model {
	t.Helper()
	m := must.M1(Open(filepath.Join(weights, name+".safetensors"), onGo()))
	t.Cleanup(m.Close)
	return m
}

// refused fails the test unless err is an *Error in one line with these words.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if fault := new(Error); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want %q", err, want)
	}
}

// trainingSet is one of n points in the plane.
func trainingSet(n int) ([]float32, []int32) {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.Stream = 1, n, n, "test"
	batch := must.M1(must.M1(data.NewMoG(c)).Batch(3, 0))
	return batch.X, batch.Labels
}

// A model that is damaged, or has no checksum, is not opened.
func TestModelsWithoutChecksum(t *testing.T) {
	file := must.M1(safetensors.ReadFile(filepath.Join(weights, "mog-ncp.safetensors")))
	check := func() {
		t.Helper()
		var b bytes.Buffer
		must.M(safetensors.Encode(&b, file))
		path := testfiles.Write(t, b.Bytes(), t.TempDir(), "changed.safetensors")
		refused(t, second(Open(path, onGo())), "checksum")
	}
	file.Tensors["f.0.weight"].Data[0]++ // damaged
	check()
	delete(file.Metadata, "gfncp.sha256")
	check()
}

// A program without weights hears which import it lacks; one with some, which names there are.
func TestNotFoundNamesTheImport(t *testing.T) {
	saved := registered.folders
	defer func() { registered.folders = saved }()
	registered.folders = nil
	_, err := Open("mog-ncp", nil)
	if refused(t, err, `import _ "github.com/gfncp/gfncp/pretrained"`); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without weights: %v", err)
	}
	Register(os.DirFS(weights))
	Register(os.DirFS(weights)) // twice the same names
	names := Models()
	if !slices.IsSorted(names) || !slices.Contains(names, "mog-ncp") || len(slices.Compact(names)) != len(Models()) {
		t.Errorf("names %v", names)
	}
	if m := must.M1(Find("mog-ncp")); m.Card.Name != "mog-ncp" || m.Config.Model != "ncp" {
		t.Errorf("card %+v", m.Card)
	}
	refused(t, second(Open("mog-ncq", nil)), "did you mean mog-ncp")
}

// Close waits for what runs, and then every method says that the model is closed.
func TestClose(t *testing.T) {
	m := opened(t, "mog-ncp")
	all, labels := trainingSet(30)
	x := pointsOf(all, 30)
	c := must.M1(m.Cluster(t.Context(), x, &Options{Samples: 5}))
	var wg sync.WaitGroup
	outcomes := make([]error, 8)
	for i := range outcomes {
		wg.Go(func() { _, outcomes[i] = m.Cluster(t.Context(), x, &Options{Samples: 5}) })
	}
	for range 3 {
		wg.Go(m.Close)
	}
	wg.Wait()
	for _, err := range outcomes {
		if err != nil && !errors.Is(err, ErrClosed) {
			t.Errorf("beside Close: %v", err)
		}
	}
	online := opened(t, "mog-gfncp-online")
	stream := must.M1(online.Stream(nil))
	must.M1(stream.Next([]float64{1, 2}))
	online.Close()
	for name, err := range map[string]error{
		"Cluster": second(m.Cluster(t.Context(), x, nil)), "Score": second(m.Score(t.Context(), x, labels, nil)),
		"Predict": second(c.Predict(t.Context(), x, nil)), "Next": second(stream.Next([]float64{1, 3})),
		"Stream": second(online.Stream(nil)),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

// stuck is a context that ends when it is looked at for the last-th time, and that look does not return before free is
// closed: it is work that cannot be stopped.
type stuck struct {
	context.Context
	cancel context.CancelFunc
	last   int64
	looks  atomic.Int64
	free   chan struct{}
}

func newStuck(t *testing.T, last int64) *stuck {
	c := &stuck{last: last, free: make(chan struct{})}
	c.Context, c.cancel = context.WithCancel(t.Context())
	return c
}

func (c *stuck) Err() error {
	if c.looks.Add(1) == c.last {
		c.cancel()
		<-c.free
	}
	return c.Context.Err()
}

// Every call that takes a context returns when that ends, though its work hangs, and the work behind it ends after a
// few looks at the context: of points and samples that would keep it busy for minutes.
func TestContextEndsEveryCall(t *testing.T) {
	short.Skip(t, "takes seconds")
	const n, most = 60_000, 8 // looks, of two processors' goroutines
	some, _ := trainingSet(300)
	x, wide := pointsOf(slices.Repeat(some, n/300), n), make([]float64, 4000)
	for i := range wide {
		wide[i] = float64(some[i%600] + float32(i/600))
	}
	m, c, _ := clustered(t, "mog-ncp")
	table := must.M1(NewPoints(wide, 2000))
	for name, call := range map[string]func(context.Context) error{
		"Model.Cluster": func(ctx context.Context) error { return second(m.Cluster(ctx, x, nil)) },
		"Score":         func(ctx context.Context) error { return second(m.Score(ctx, x, make([]int32, n), nil)) },
		"Predict":       func(ctx context.Context) error { return second(c.Predict(ctx, x, nil)) },
		"Cluster":       func(ctx context.Context) error { return second(Cluster(ctx, table, nil)) },
	} {
		for _, last := range []int64{1, 2, 5} {
			ctx := newStuck(t, last)
			if err := call(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended at look %d: %v", name, last, err)
			}
			close(ctx.free)
			m.inUse.Lock() // as Close does, it waits for the work
			after := ctx.looks.Load() - last
			m.inUse.Unlock()
			if after > most {
				t.Errorf("%s, ended at look %d: %d looks more", name, last, after)
			}
		}
	}
}

// Faults of the points are *Error and say what a Go program can do.
func TestFaultsOfPoints(t *testing.T) {
	m := opened(t, "mog-ncp")
	wide := must.M1(NewPoints([]float64{1, 2, 4, 2, 1, 9, 7, 7, 3}, 3))
	plane := must.M1(NewPoints(make([]float64, 4), 2))
	_, _, unknown := OwnConfig("npc", "missing.csv", FileOptions{})
	for want, err := range map[string]error{
		"5 values are not those of 2 points": second(NewPoints(make([]float64, 5), 2)),
		"0 values are not those of 0 points": second(NewPoints(nil, 0)),
		"3 coordinates, but this model takes 2; choose as many columns, name another model": second(
			m.Cluster(t.Context(), wide, nil)),
		"points.csv: Options.Invert has no effect on a table; leave": second(
			ReadPoints("examples/points.csv", &FileOptions{Invert: "yes"})),
		`use one of "x", "y" in FileOptions.Columns`: second(
			ReadPoints("examples/points.csv", &FileOptions{Columns: []string{"z"}})),
		"no labels to score":   second(m.Score(t.Context(), plane, nil, nil)),
		`model = "npc" is not`: unknown,
		`"cifar" is not known`: second(DefaultConfig("ncp", "cifar")),
	} {
		refused(t, err, want)
	}
	for _, none := range []*Points{nil, {}} { // an error and no panic
		for _, err := range []error{
			second(Cluster(t.Context(), none, nil)), second(m.Cluster(t.Context(), none, nil)),
			second((&Clustering{}).Predict(t.Context(), none, nil)),
			second(m.Score(t.Context(), none, []int32{0}, nil)),
		} {
			refused(t, err, "no points are given")
		}
	}
}

// A training goes on where its context ended it, and a model is there then.
func TestTrainContinues(t *testing.T) {
	config := must.M1(
		must.M1(DefaultConfig("gfncp", "mog")).Set("train.steps=6", "data.batch=4", "data.n_min=5", "data.n_max=20",
			"net.hidden=16", "train.valid_sets=2", "loss.beta=1"))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stop := Listener{Step: func(r train.StepReport, _ int) {
		if r.Step == 3 {
			cancel()
		}
	}}
	if _, err := Train(ctx, config, dir, &TrainOptions{"go", stop}); !errors.Is(err, ErrInterrupted) ||
		!errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled after step 3: %v", err)
	}
	steps := 0
	count := Listener{Step: func(train.StepReport, int) { steps++ }}
	result := must.M1(Train(t.Context(), config, dir, &TrainOptions{"go", count}))
	if steps != 3 || result.Steps != 6 || must.M1(train.ReadConfig(dir)) != config {
		t.Errorf("%d steps in the second session, result %+v", steps, result)
	}
	x, _ := trainingSet(20)
	must.M1(Cluster(t.Context(), pointsOf(x, 20), &Options{Model: dir, Backend: "go"}))
}

func second[T any](_ T, err error) error { return err }

// Version is semantic; the citation and the changelog's top heading name it.
func TestVersion(t *testing.T) {
	if strings.Count(Version, ".") != 2 {
		t.Errorf("%q is no semantic version", Version)
	}
	if text := string(must.M1(os.ReadFile("CITATION.cff"))); !strings.Contains(text, "\nversion: "+Version+"\n") {
		t.Errorf("CITATION.cff names another version than %s", Version)
	}
	_, top, _ := strings.Cut(string(must.M1(os.ReadFile("CHANGELOG.md"))), "\n## ")
	if !strings.HasPrefix(top, Version+", ") {
		t.Errorf("the changelog begins with %.20q, not with %s", top, Version)
	}
}

// A call works on its own copy of the options: after it was cancelled, the caller may change them.
func TestOptionsAreCopied(t *testing.T) {
	o := &Options{Known: Known{Together: [][2]int{{0, 1}}, Weights: []float64{1}, Given: []int32{0}}}
	own := orDefault(o)
	o.Together[0], o.Weights[0], o.Given[0] = [2]int{5, 6}, 9, 9
	if own.Together[0][0] != 0 || own.Weights[0] != 1 || own.Given[0] != 0 {
		t.Errorf("%+v", own)
	}
}
