package xla

import (
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/cputime"
	"github.com/gfncp/gfncp/internal/engine/pjrtstub"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/train"
)

// What a run of the paper's mixtures may cost a machine with a GPU, whatever the GPU does: XLA compiles a program for
// 5 to 40 seconds, and all else waits while bytes pass.
const (
	mostPrograms = 10        // of a run of 200 steps, validations and all
	mostBytes    = 3_000_000 // between host and device in a step of 64 sets of 1000 points
	mostHost     = 0.030     // processor seconds of the host in a step
)

// freeLoop lets the decoding loop of a device of no cost end: its status says that all steps are done that its argument
// 7, the limit, asks for (sampling/trajectory.go).
const freeLoop = "decoding_loop 1=arg7"

// A run of 200 steps of the paper's shapes, N = 100 to 1000, with its validations, compiles few programs.
func TestFewPrograms(t *testing.T) {
	c := train.Default(train.GFNCP)
	c.Train.Steps = 200
	fewPrograms(t, c)
}

// So does one of images, in which every tenth step is of the kind that needs most rows; its sets are drawn on the host
// in most of the time, so there are fewer steps.
func TestFewProgramsOfImages(t *testing.T) {
	c := train.DefaultOn(train.GFNCP, data.SourceFile)
	c.Data.Path, c.Train.Steps, c.Train.ValidEvery, c.Loss.Beta = testfiles.Images(t), 24, 24, 0.9
	fewPrograms(t, c)
}

func fewPrograms(t *testing.T, c train.Config) {
	t.Helper()
	backend := plugin(t, "")
	pjrtstub.Zero(t, freeLoop)
	read := pjrtstub.Record(t)
	must.M1(train.Run(t.Context(), backend, sources.Source, c, t.TempDir(), train.Listener{}))
	log := read()
	names := map[string]int{}
	for _, p := range log.Programs {
		names[p.Name]++
	}
	t.Logf("%d programs, %d different ones: %v", len(log.Programs), log.Distinct(), names)
	if log.Distinct() > mostPrograms || len(log.Programs) > mostPrograms {
		t.Errorf("%d programs were compiled, %d different ones; at most %d are allowed", len(log.Programs),
			log.Distinct(), mostPrograms)
	}
	if len(log.Runs) < 3*c.Train.Steps {
		t.Errorf("only %d executions", len(log.Runs))
	}
}

// A step of the largest sets moves few bytes.
func TestFewBytes(t *testing.T) {
	backend := plugin(t, "")
	pjrtstub.Zero(t, freeLoop)
	c := train.Default(train.GFNCP)
	c.Loss.Beta, c.Data.NMin = 1, c.Data.NMax
	trainer := must.M1(train.New(backend, sources.Source, c))
	must.M1(trainer.Advance()) // compiles, and brings the weights
	read := pjrtstub.Record(t)
	must.M1(trainer.Advance())
	log := read()
	t.Logf("up %d transfers, %d bytes; down %d, %d; %d executions", log.Up.Count, log.Up.Bytes, log.Down.Count,
		log.Down.Bytes, len(log.Runs))
	if all := log.Up.Bytes + log.Down.Bytes; all > mostBytes || all < 64*1000*8 {
		t.Errorf("%d bytes pass in a step, at most %d may; the points alone are %d", all, mostBytes, 64*1000*8)
	}
	if len(log.Programs) != 0 {
		t.Errorf("the second step compiles %+v", log.Programs)
	}
}

// The host takes little time for a step of the paper's shapes, its batch and the plugin included: half
// of the steps take less than is printed.
func TestLittleHostTime(t *testing.T) {
	backend := plugin(t, "")
	pjrtstub.Zero(t, freeLoop)
	c := train.Default(train.GFNCP)
	c.Loss.Beta = 1
	trainer := must.M1(train.New(backend, sources.Source, c))
	var spent []float64
	for range 40 { // the first of each size compiles
		before := cputime.Process()
		must.M1(trainer.Advance())
		spent = append(spent, cputime.Process()-before)
	}
	slices.Sort(spent)
	median := spent[len(spent)/2]
	t.Logf("%.1f ms of processor time", 1e3*median)
	if median > mostHost {
		t.Errorf("a step takes %.3g s of processor time of the host, more than %g", median, mostHost)
	}
}
