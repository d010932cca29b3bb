package xla

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

func stepsOn(backend compute.Backend, c train.Config) (reports []train.StepReport, weights models.Params) {
	trainer := must.M1(train.New(backend, sources.Source, c))
	for range 2 {
		reports = append(reports, must.M1(trainer.Advance()))
	}
	return reports, must.M1(trainer.Weights())
}

// Two devices, each with its part of the batch, three, whose parts are not equal, and four take the steps that one
// takes, but for rounding: the same labels are sampled, and the gradients add up to the same one.
func TestTrainingOnDevices(t *testing.T) {
	all := trainings()
	for name, counts := range map[string][]int{"gfncp data": {2, 3, 4}, "ncp": {3}, "st": {4}} {
		c := all[name]
		c.Data.Batch = 4
		t.Run(name, func(t *testing.T) {
			want, _ := stepsOn(plugin(t, ""), c)
			for _, count := range counts {
				got, _ := stepsOn(devices(t, count), c)
				for i, w := range want {
					near(t, fmt.Sprintf("%d devices, step %d, loss", count, i), got[i].Loss, w.Loss, 1e-5)
					near(t, fmt.Sprintf("%d devices, step %d, norm", count, i), got[i].GradNorm, w.GradNorm, 1e-4)
					near(t, fmt.Sprintf("%d devices, step %d, clusters", count, i), got[i].Sampled, w.Sampled, 1e-12)
					for term, value := range w.Terms {
						near(t, fmt.Sprintf("%d devices, step %d, %s", count, i, term), got[i].Terms[term], value, 1e-5)
					}
				}
			}
		})
	}
}

// On two devices the same config gives the same bytes again, each program is compiled once for both, and what passes
// between them is the gradient of one and the weights that it gets.
func TestDevicesShareTheWork(t *testing.T) {
	c := trainings()["gfncp data"]
	c.Data.Batch = 4
	backend := devices(t, 2)
	names := map[string]int{}
	defer pjrtapi.Listen(func(made pjrtapi.Made) { names[made.Program.Name()]++ })()
	_, first := stepsOn(backend, c)
	trainer := must.M1(train.New(backend, sources.Source, c))
	before := engine.Moved()
	must.M1(trainer.Advance())
	moved := engine.Moved().Since(before)
	for _, program := range []string{"gradient of data", "optimizer"} {
		if names[program] > 2 {
			t.Errorf("%s is compiled %d times in two trainings; all programs are %v", program, names[program], names)
		}
	}
	if bytes := int64(4 * size(first)); moved.Across != 2*bytes { // the weights to the second device, its gradient back
		t.Errorf("%d bytes pass between the devices, want %d twice", moved.Across, bytes)
	}
	must.M1(trainer.Advance())
	for i, w := range must.M1(trainer.Weights()) {
		if !slices.Equal(w.Data, first[i].Data) {
			t.Fatalf("the same config gives another weight %s", w.Name)
		}
	}
}

func size(ps models.Params) (count int) {
	for _, p := range ps {
		count += len(p.Data)
	}
	return count
}

// Images are rendered and learned from on two devices.
func TestImagesOnDevices(t *testing.T) {
	c := train.DefaultOn(train.GFNCP, data.SourceFile)
	c.Net = small(c.Net)
	c.Data.Path, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Loss.Beta = testfiles.Images(t), 2, 6, 6, 1
	report := must.M1(must.M1(train.New(devices(t, 2), sources.Source, c)).Advance())
	if math.IsNaN(report.Loss) || report.GradNorm == 0 {
		t.Errorf("the step is %+v", report)
	}
}
