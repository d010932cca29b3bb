package benchmarks

import (
	"math/rand/v2"
	"time"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// stepWorks are whole optimizer steps, the batch and the negative sample included.
func (s Suite) stepWorks() []work {
	return s.onBatches(s.Sizes.Batches, func(model string, shape Shape) []work {
		return []work{s.step("step", "step "+model, shape, s.Config(model))}
	})
}

// imageWorks are optimizer steps on MNIST. They come last: the images stay in memory, and with more memory in use the
// garbage collector works less often.
func (s Suite) imageWorks() []work {
	return s.onBatches(s.Sizes.Images, func(model string, shape Shape) []work {
		w := s.step("images", "step "+model, shape, train.DefaultOn(model, data.SourceMNIST))
		w.Data = data.SourceMNIST
		return []work{w}
	})
}

// step is one work of training steps of a configuration on batches of a shape.
func (s Suite) step(group, name string, shape Shape, c train.Config) work {
	c = shape.on(c)
	shape.Clusters = c.Data.FixedK
	return work{Result: shape.result(group, name, c.Model), open: func(r *Result) (func() error, error) {
		trainer, err := train.New(s.Backend, sources.Source, c)
		return func() error {
			step, err := trainer.Advance()
			r.Found = step.Sampled
			return err
		}, err
	}}
}

// compileWorks are what the first call costs beyond the next ones, with all that is built for it, once per shape.
func (s Suite) compileWorks() []work {
	return s.onBatches(s.Sizes.Batches, func(model string, shape Shape) []work {
		step := s.step("compile", "compile step "+model, shape, s.Config(model))
		shape.Clusters = step.Clusters
		decode := s.decode("compile", "compile decode "+model, model, shape)
		step.compile, decode.compile = true, true
		open := step.open
		step.open = func(*Result) (func() error, error) { return open(&Result{}) } // its clusters are no finding
		return []work{step, decode}
	})
}

// steadyCalls are the calls after the first one; the fastest counts as what the work costs without compilation.
const steadyCalls = 2

// firstCall times opening a work and its first call, beyond a steady one. It is done once: nothing compiles twice.
func firstCall(w work, r *Result) error {
	stop := watchHeap()
	defer stop(r)
	start := time.Now()
	call, err := w.open(r)
	if err != nil {
		return err
	}
	if err := call(); err != nil {
		return err
	}
	r.First = time.Since(start).Seconds()
	steady := r.First
	for range steadyCalls {
		start := time.Now()
		if err := call(); err != nil {
			return err
		}
		steady = min(steady, time.Since(start).Seconds())
	}
	r.Seconds = []float64{r.First - steady}
	r.Median = r.Seconds[0]
	return nil
}

func rng() *rand.Rand { return data.Rand(1, "bench", 0) }
