package xla

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// narrow has layers of four: programs are as many for a wide network.
func narrow(c train.Config) train.Config {
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 4, 4, 4
	return c
}

// A run on images compiles few programs; every second step is an exploration. That on mixtures: train/programs_test.go.
func TestFewProgramsOfImages(t *testing.T) {
	c := narrow(train.DefaultOn(train.GFNCP, data.SourceFile))
	c.Data.Path, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Loss.Beta = testfiles.Images(t), 4, 10, 60, 0.5
	c.Train.Steps, c.Train.ValidEvery, c.Train.ValidSets = 12, 12, 4
	backend := plugin(t, ",tf32=false") // a backend of its own, which has no programs yet
	names, programs := map[string]int{}, 0
	defer pjrtapi.Listen(func(made pjrtapi.Made) {
		names[made.Program.Name()]++
		programs++
	})()
	must.M1(train.Run(t.Context(), backend, sources.Source, c, t.TempDir(), train.Listener{}))
	t.Logf("%d programs: %v", programs, names)
	if programs > 16 || programs < 5 {
		t.Errorf("%d programs were compiled; at most 16 are allowed", programs)
	}
}

// The second step of sets of one size compiles nothing.
func TestSecondStepCompilesNothing(t *testing.T) {
	c := tiny(train.GFNCP, nil)
	trainer := must.M1(train.New(plugin(t, ""), sources.Source, c))
	must.M1(trainer.Advance())
	defer pjrtapi.Listen(func(made pjrtapi.Made) { t.Errorf("%s is compiled later", made.Program.Name()) })()
	must.M1(trainer.Advance())
}

// Sixty steps on XLA lower the loss, and a run that was interrupted goes on to the same bytes.
func TestTrainingLearns(t *testing.T) {
	c := tiny(train.GFNCP, func(c *train.Config) {
		c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Loss.Beta = 8, 10, 20, 0.9
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery, c.Train.LearningRate = 60, 60, 20, 2e-3
	})
	whole, losses := trained(t, t.Context(), c, t.TempDir(), func(int) {})
	first, last := stat.Mean(losses[:10], nil), stat.Mean(losses[len(losses)-10:], nil)
	t.Logf("loss of data steps %.3f, at the end %.3f", first, last)
	if !(last < 0.92*first) {
		t.Errorf("the loss goes from %g to %g", first, last)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	trained(t, ctx, c, dir, func(step int) {
		if step == 31 {
			cancel()
		}
	})
	resumed, _ := trained(t, t.Context(), c, dir, func(int) {})
	for i, p := range whole {
		if !slices.Equal(p.Data, resumed[i].Data) {
			t.Errorf("the resumed run has other weights %s", p.Name)
		}
	}
}

// trained runs a config in a folder until the run ends or ctx does. It returns the losses of the data steps, and the
// weights if the run ended.
func trained(t *testing.T, ctx context.Context, c train.Config, dir string, after func(step int),
) (weights models.Params, losses []float64) {
	t.Helper()
	hear := train.Listener{Step: func(r train.StepReport, _ int) {
		if r.Kind == "data" {
			losses = append(losses, r.Loss)
		}
		after(r.Step)
	}}
	_, err := train.Run(ctx, plugin(t, ""), sources.Source, c, dir, hear)
	if errors.Is(err, train.ErrInterrupted) {
		return nil, losses
	}
	must.M(err)
	return must.M1(train.ReadModel(filepath.Join(dir, "best.safetensors"))).Params, losses
}
