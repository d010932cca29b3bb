package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// The constants of Adam (Kingma and Ba 2015), as the framework of the published code has them.
const (
	firstDecay  = 0.9
	secondDecay = 0.999
	adamEpsilon = 1e-8
)

// weights are a trainer's weights on the backend, and the moments of their gradients.
type weights struct {
	backend compute.Backend
	layout  models.Params
	values  []*tensors.Tensor // in the layout's order, valid until the next optimizer step
	moments []*tensors.Tensor // in the order of momentLayout
}

// newWeights puts weights on a backend, with moments of zero.
func newWeights(backend compute.Backend, ps models.Params) *weights {
	moments := momentLayout(ps)
	for i := range moments {
		moments[i].Data = make([]float32, len(ps[i/2].Data))
	}
	return &weights{backend, ps, ps.Tensors(), moments.Tensors()}
}

// momentLayout lists the first and the second moment of each weight, by their names in checkpoints.
func momentLayout(layout models.Params) (moments models.Params) {
	for _, w := range layout {
		for _, moment := range []string{"_1st_moment", "_2nd_moment"} {
			moments = append(moments, models.Param{Name: optimizerPrefix + w.Name + moment, Shape: w.Shape})
		}
	}
	return moments
}

func (w *weights) onHost() (models.Params, error) { return w.layout.With(w.values) }

// optimizer applies gradients to the weights by Adam with clipping.
type optimizer struct {
	options Options
	weights *weights
	update  *engine.Func
}

func newOptimizer(w *weights, options Options) *optimizer {
	count := len(w.layout)
	update := engine.NewFunc(w.backend, "optimizer", func(in []*Node) []*Node {
		rate, step, in := in[0], in[1], in[2:]
		values, moments, norm, grads := in[:count], in[count:3*count], in[3*count], in[3*count+1:]
		var clip *Node
		if options.ClipNorm > 0 {
			most := Const(norm.Graph(), float32(options.ClipNorm))
			clip = Div(most, Max(norm, most)) // 1 where the norm is smaller
		}
		keepFirst, unbiasFirst := decay(step, firstDecay)
		keepSecond, unbiasSecond := decay(step, secondDecay)
		epsilon := Const(norm.Graph(), float32(adamEpsilon))
		var moved, renewed []*Node
		for i, grad := range grads {
			if clip != nil {
				grad = Mul(grad, clip)
			}
			first := average(moments[2*i], grad, keepFirst)
			second := average(moments[2*i+1], Square(grad), keepSecond)
			step := Div(Mul(rate, Mul(first, unbiasFirst)), Add(Sqrt(Mul(second, unbiasSecond)), epsilon))
			moved = append(moved, Sub(values[i], step))
			renewed = append(renewed, first, second)
		}
		return append(moved, renewed...)
	})
	return &optimizer{options, w, update}
}

// decay returns the share that an exponential average keeps, and the factor that removes its bias after so many steps:
// it began at zero.
func decay(step *Node, share float64) (keep, unbias *Node) {
	keep = Const(step.Graph(), float32(share))
	return keep, Reciprocal(OneMinus(Pow(keep, step)))
}

// average adds a value to an exponential average.
func average(before, value, keep *Node) *Node {
	return Add(Mul(keep, before), Mul(OneMinus(keep), value))
}

func norm(gradient []*Node) *Node {
	squares := ReduceAllSum(Square(gradient[0]))
	for _, grad := range gradient[1:] {
		squares = Add(squares, ReduceAllSum(Square(grad)))
	}
	return Sqrt(squares)
}

// rate is the learning rate of a step (0-based): a cosine from LearningRate to FinalRate, constant for RateEvery steps,
// or the schedule of ST.
func (o Options) rate(step int) float64 {
	if o.Schedule == ScheduleHalf {
		if step < o.Steps/2 {
			return o.LearningRate
		}
		return o.LearningRate / 10
	}
	at := step / o.RateEvery * o.RateEvery
	cosine := (1 + math.Cos(math.Pi*float64(at)/float64(o.Steps))) / 2
	return o.FinalRate + (o.LearningRate-o.FinalRate)*cosine
}

// apply moves the weights one step and frees the gradient, which must be finite. step is counted from 0.
func (o *optimizer) apply(step int, g gradient) error {
	defer engine.Free(g...)
	w := o.weights
	in := []*tensors.Tensor{tensors.FromScalar(float32(o.options.rate(step))), tensors.FromScalar(float32(step + 1))}
	out, err := o.update.Call(slices.Concat(in, w.values, w.moments, g)...)
	if err != nil {
		return fmt.Errorf("optimizer step %d: %w", step, err)
	}
	engine.Free(slices.Concat(w.values, w.moments)...)
	w.values, w.moments = out[:len(w.values)], out[len(w.values):]
	return nil
}
