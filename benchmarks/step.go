package benchmarks

import (
	"math/rand/v2"
	"time"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// stepWorks are whole optimizer steps, the batch and the negative sample included.
func (s Suite) stepWorks() ([]work, error) {
	var works []work
	for _, model := range s.Sizes.Models {
		for _, shape := range s.Sizes.Batches {
			works = append(works, s.step("step", "step "+model, shape, s.Config(model)))
		}
	}
	return works, nil
}

// imageWorks are optimizer steps on MNIST. They come last: the images stay in memory, and with more memory in use the
// garbage collector works less often.
func (s Suite) imageWorks() ([]work, error) {
	var works []work
	for _, model := range s.Sizes.Models {
		for _, shape := range s.Sizes.Images {
			w := s.step("images", "step "+model, shape, train.DefaultOn(model, data.SourceMNIST))
			w.Data = data.SourceMNIST
			works = append(works, w)
		}
	}
	return works, nil
}

// step is one work of training steps of a configuration on batches of a shape.
func (s Suite) step(group, name string, shape Shape, c train.Config) work {
	c = shape.on(c)
	shape.Clusters = c.Data.FixedK
	return work{Result: shape.result(group, name, c.Model), run: func(r *Result) error {
		trainer, err := train.New(s.Backend, sources.Source, c)
		if err != nil {
			return err
		}
		advance := func() error {
			step, err := trainer.Advance()
			r.Found = step.Sampled
			return err
		}
		return s.time(r, advance, advance)
	}}
}

// compileWorks are what the first call costs beyond the next ones, with everything that is built for it: graphs are
// compiled once per shape.
func (s Suite) compileWorks() ([]work, error) {
	var works []work
	for _, model := range s.Sizes.Models {
		for _, shape := range s.Sizes.Batches {
			c := shape.on(s.Config(model))
			shape.Clusters = c.Data.FixedK
			works = append(works,
				work{Result: shape.result("compile", "compile step "+model, model), run: func(r *Result) error {
					return firstCall(r, func() (func() error, error) {
						trainer, err := train.New(s.Backend, sources.Source, c)
						return func() error { _, err := trainer.Advance(); return err }, err
					})
				}},
				work{Result: shape.result("compile", "compile decode "+model, model), run: func(r *Result) error {
					return firstCall(r, func() (func() error, error) { return s.decoder(r, shape) })
				}})
		}
	}
	return works, nil
}

// steadyCalls are the calls after the first one; the fastest counts as what the work costs without compilation.
const steadyCalls = 2

// firstCall times the first call of what open builds, beyond a steady one. It is done once: nothing compiles twice.
func firstCall(r *Result, open func() (func() error, error)) error {
	watch := watchHeap()
	defer watch.stop(r)
	start := time.Now()
	call, err := open()
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

// rng is the random stream of a work.
func rng() *rand.Rand { return data.Rand(1, "bench", 0) }
