package train_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// tinyImages is a run of 4 steps on the images of a file, with all kinds of GFNCP steps in it.
func tinyImages(model, path string) train.Config {
	c := train.DefaultOn(model, data.SourceFile)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 8
	c.Data.Path, c.Data.Batch, c.Data.NMin, c.Data.NMax = path, 2, 5, 8
	c.Loss.Beta = 0.5
	c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery, c.Train.ValidSets = 4, 2, 2, 2
	if model == train.GFNCP {
		c.Train.WarmupSteps = 1
	}
	return c
}

// A run on images, with dropout and augmentations, that is interrupted and resumed ends with the same bytes as an
// uninterrupted one.
func TestImagesResumeEqualsUninterrupted(t *testing.T) {
	short.Skip(t, "trains on images several times")
	t.Parallel()
	c := tinyImages(train.GFNCP, testfiles.Images(t))
	whole := stopped(t, c, 4)
	log := lossColumn(whole)
	for _, kind := range []string{"warm-up", "data", "explore"} {
		if !strings.Contains(log, kind) {
			t.Errorf("no step of kind %s in\n%s", kind, log)
		}
	}
	dir := stopped(t, c, 1)
	finish(t, c, dir)
	endsAs(t, "resumed", dir, whole)
	m := must.M1(train.ReadModel(train.BestPath(whole)))
	if m.Config != c {
		t.Errorf("the model file holds the config\n%v, want\n%v", m.Config, c)
	}
}

// A source that cannot be opened stops a new run with the fault of the file, and leaves nothing behind. A finished run
// needs no data.
func TestMissingDataStops(t *testing.T) {
	t.Parallel()
	path, dir := filepath.Join(t.TempDir(), "none.npy"), filepath.Join(t.TempDir(), "run")
	c := tinyImages(train.NCP, path)
	refused(t, sources.Source, c, dir, path+": no such file")
	must.M(os.Mkdir(dir, 0o755))
	must.M(os.WriteFile(filepath.Join(dir, "config.toml"), []byte(c.String()), 0o644))
	weights := c.Layout().Init(data.Rand(1, "init", 0))
	must.M(train.WriteModel(train.BestPath(dir), &train.Model{Config: c, Params: weights}))
	must.M(os.WriteFile(filepath.Join(dir, "result.json"), []byte(`{"steps":4}`), 0o644))
	if r, err := train.Run(t.Context(), goBackend(), sources.Source, c, dir, train.Listener{}); err != nil ||
		r.Steps != 4 {
		t.Errorf("the finished run gave %+v, %v", r, err)
	}
}

// A peer on images can start from the image encoder of an energy network; its other weights are drawn. One on vectors,
// which has no encoder, and one whose encoder has other sizes refuse the file.
func TestInitTakesTheEncoder(t *testing.T) {
	t.Parallel()
	path := testfiles.Images(t)
	c := tinyImages(train.NCP, path)
	energy := c.Layout().Init(data.Rand(7, "init", 0))
	file := filepath.Join(t.TempDir(), "ncp.safetensors")
	must.M(train.WriteModel(file, &train.Model{Config: c, Params: energy}))
	c = tinyImages(train.DAC, path)
	drawn := c.Layout().Init(data.Rand(c.Seed, "init", 0))
	c.Train.Init = file
	taken := 0
	for i, w := range must.M1(must.M1(train.New(goBackend(), sources.Source, c)).Weights()) {
		want := drawn[i].Data
		for _, e := range energy {
			if strings.Replace(e.Name, "h.", "encoder.", 1) == w.Name && strings.HasPrefix(e.Name, "h.") {
				want, taken = e.Data, taken+1
			}
		}
		if !slices.Equal(w.Data, want) {
			t.Errorf("%s is neither the encoder's nor drawn", w.Name)
		}
	}
	if taken != 8 {
		t.Errorf("%d arrays of the encoder were taken over, want 8", taken)
	}
	other := c
	other.Net.Embed *= 2
	vectors := tiny(train.DAC)
	vectors.Train.Init = file
	for _, c := range []train.Config{other, vectors} {
		if _, err := train.New(goBackend(), sources.Source, c); !usererr.Is(err) ||
			!strings.Contains(err.Error(), "other sizes") {
			t.Errorf("an encoder that does not fit gave %v for %s", err, c.Net.Encoder)
		}
	}
}
