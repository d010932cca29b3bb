package train_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// The defaults of every model on every feature set are valid, of the spec's sizes, and survive a config file.
func TestDefaultFeatures(t *testing.T) {
	t.Parallel()
	for _, model := range train.Models() {
		for _, source := range []string{"in50", "in100", "in200", "standin50", "standin100", "standin200"} {
			c := train.DefaultOn(model, source)
			if err := c.Validate(); err != nil {
				t.Errorf("%s on %s: %v", model, source, err)
			}
			if c.Net.Dim != 384 || c.Net.Hidden != 128 || c.Loss.Beta != 0.999 ||
				c.Data.NMax != 50 || c.Data.Source != source {
				t.Errorf("%s on %s:\n%s", model, source, c)
			}
			if got := must.M1(train.ParseConfig("c.toml", []byte(c.String()), train.Config{})); got != c {
				t.Errorf("round trip gave %+v, want %+v", got, c)
			}
		}
	}
}

// A run on the classes of a stand-in's training half ends with a model that clusters sets of the test half.
func TestFeaturesRun(t *testing.T) {
	t.Parallel()
	for _, model := range []string{train.GFNCP, train.NCP} {
		c := train.DefaultOn(model, "standin50")
		c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 8, 8
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 2, 6, 8
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery, c.Train.ValidSets = 3, 3, 3, 2
		dir := filepath.Join(t.TempDir(), "run")
		result := must.M1(train.Run(context.Background(), goBackend(), sources.Source, c, dir, train.Listener{}))
		if log := lossColumn(t, dir); result.Steps != 3 || strings.Count(log, "\n") != 4 ||
			strings.Contains(log, "NaN") {
			t.Errorf("%s: %+v, log\n%s", model, result, log)
		}
		m := must.M1(train.ReadModel(train.BestPath(dir)))
		batch := must.M1(must.M1(sources.Source(m.Config.Data.HeldOut(1, 10, 3))).Batch(1, 0))
		found := must.M1(must.M1(m.Clusterer(goBackend())).Cluster(rand.New(rand.NewPCG(1, 1)),
			batch.X, batch.B, batch.N))
		if len(found) != 16 || len(found[0]) != 10 {
			t.Errorf("%s: %d sets of %d labels", model, len(found), len(found[0]))
		}
	}
}
