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
	"github.com/gfncp/gfncp/internal/engine/pjrtstub"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// stepsOn takes two steps of a training, and returns their reports and the weights after them.
func stepsOn(backend compute.Backend, c train.Config) (reports []train.StepReport, weights models.Params) {
	trainer := must.M1(train.New(backend, sources.Source, c))
	for range 2 {
		reports = append(reports, must.M1(trainer.Advance()))
	}
	return reports, must.M1(trainer.Weights())
}

// Two devices, each with its part of the batch, and three, whose parts are not equal, take the steps that one takes,
// but for rounding: the same labels are sampled, and the gradients add up to the same one.
func TestTrainingOnDevices(t *testing.T) {
	all := trainings()
	for _, name := range []string{"gfncp data", "gfncp explore", "free flows", "ncp", "online", "additive", "st"} {
		c := all[name]
		c.Data.Batch = 4
		t.Run(name, func(t *testing.T) {
			want, _ := stepsOn(plugin(t, ""), c)
			for _, count := range []int{2, 3} {
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

// On two devices the same config gives the same bytes again, each program is compiled once for both, both compute their
// part, and what passes between them is the gradient of one and the weights that it gets.
func TestDevicesShareTheWork(t *testing.T) {
	c := trainings()["gfncp data"]
	c.Data.Batch = 4
	_, first := stepsOn(devices(t, 2), c)
	backend := devices(t, 2)
	read := pjrtstub.Record(t)
	trainer := must.M1(train.New(backend, sources.Source, c))
	must.M1(trainer.Advance())
	log := read()
	names := map[string]int{}
	for _, p := range log.Programs {
		names[p.Name]++
	}
	for _, program := range []string{"weight_folding_1", "decoding_loop_1", "gradient_of_data_1", "optimizer_1"} {
		if names[program] != 1 {
			t.Errorf("%s is compiled %d times; all programs are %v", program, names[program], names)
		}
	}
	on := map[string][]int{}
	for i, name := range log.Runs {
		on[name] = append(on[name], log.Devices[i])
	}
	for _, program := range []string{"weight_folding_1", "decoding_loop_1", "gradient_of_data_1"} {
		if last := on[program]; len(last) < 2 || last[len(last)-1]+last[len(last)-2] != 1 {
			t.Errorf("%s ran on the devices %v, want both", program, on[program])
		}
	}
	if !slices.Equal(on["optimizer_1"], []int{0}) {
		t.Errorf("the optimizer ran on the devices %v", on["optimizer_1"])
	}
	bytes := 4 * size(first)
	if log.Across.Bytes != 2*bytes { // the weights to the second device, its gradient back
		t.Errorf("%d bytes pass between the devices, want %d twice", log.Across.Bytes, bytes)
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

// Images are rendered on the device that takes them.
func TestImagesOnDevices(t *testing.T) {
	c := train.DefaultOn(train.GFNCP, data.SourceFile)
	c.Net = small(c.Net)
	c.Data.Path, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Loss.Beta = testfiles.Images(t), 2, 6, 6, 1
	trainer := must.M1(train.New(devices(t, 2), sources.Source, c))
	read := pjrtstub.Record(t)
	report := must.M1(trainer.Advance())
	if math.IsNaN(report.Loss) || report.GradNorm == 0 {
		t.Errorf("the step is %+v", report)
	}
	log := read()
	var on []int
	for i, name := range log.Runs {
		if name == "augmentation_1" {
			on = append(on, log.Devices[i])
		}
	}
	if len(on) < 2 || on[0] == on[1] {
		t.Errorf("images were rendered on the devices %v", on)
	}
}
