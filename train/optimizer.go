package train

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	gomlxopt "github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
)

// adamEpsilon is the default of the framework that the published code uses.
const adamEpsilon = 1e-8

// optimizer applies gradients to the weights by Adam with clipping and a cosine schedule.
type optimizer struct {
	options Options
	weights *weights
	update  *model.Exec
}

func newOptimizer(w *weights, options Options) (*optimizer, error) {
	adam := gomlxopt.Adam().Epsilon(adamEpsilon).Done()
	withGradients, ok := adam.(interface {
		UpdateGraphWithGradients(scope *model.Scope, grads []*Node, lossDType dtypes.DType)
	})
	if !ok {
		return nil, fmt.Errorf("GoMLX's Adam does not take gradients")
	}
	update, err := model.NewExec(w.backend, w.store, func(scope *model.Scope, in []*Node) []*Node {
		rate, norm, grads := in[0], in[1], slices.Clone(in[2:])
		scope.SetTraining(rate.Graph(), true) // else GoMLX from v0.28.15 on takes variables as constants
		w.layout.Nodes(scope, rate.Graph())   // Adam updates the variables that this graph uses
		if options.ClipNorm > 0 {
			most := Const(norm.Graph(), float32(options.ClipNorm))
			factor := Div(most, Max(norm, most)) // 1 where the norm is smaller
			for i, grad := range grads {
				grads[i] = Mul(grad, factor)
			}
		}
		gomlxopt.LearningRateVar(scope, dtypes.Float32, 0).SetNodeValue(rate)
		withGradients.UpdateGraphWithGradients(scope, grads, dtypes.Float32)
		return []*Node{rate}
	})
	if err != nil {
		return nil, fmt.Errorf("build the optimizer: %w", err)
	}
	return &optimizer{options, w, update.WithName("optimizer")}, nil
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

// apply moves the weights one step and frees the gradient, which must be finite.
func (o *optimizer) apply(step int, g *gradient) error {
	args := []any{tensors.FromScalar(float32(o.options.rate(step))), g.norm}
	for _, grad := range g.by {
		args = append(args, grad)
	}
	err := engine.Try(func() error {
		if err := beginOptimizer(o.weights.store, o.weights.layout); err != nil {
			return err
		}
		out, err := o.update.Exec(args...)
		engine.Free(out...)
		g.free()
		return err
	})
	if err != nil {
		return fmt.Errorf("optimizer step %d: %w", step, err)
	}
	return nil
}

// stepsDone is the path of the variable in which GoMLX counts the optimizer's steps.
const stepsDone = "/global_step"

type variable struct {
	path  string
	shape shapes.Shape
}

// optimizerState lists the variables that the store holds besides the weights after a step of Adam, in no order: the
// moments of each weight, the counters and the last rate.
func optimizerState(layout models.Params) []variable {
	state := []variable{
		{stepsDone, shapes.Make(dtypes.Int64)},
		{"/AdamOptimizer/step", shapes.Make(dtypes.Float32)},
		{"/optimizers/learning_rate", shapes.Make(dtypes.Float32)},
	}
	for _, w := range layout {
		for _, moment := range []string{"_1st_moment", "_2nd_moment"} {
			path := "/AdamOptimizer/" + w.Name + moment
			state = append(state, variable{path, shapes.Make(dtypes.Float32, w.Shape...)})
		}
	}
	return state
}

// beginOptimizer puts the optimizer's first state, zeros, into a store without one. Adam would make it by a program of
// its own, which an accelerator would have to compile.
func beginOptimizer(store *model.Store, layout models.Params) error {
	if store.GetVariable(stepsDone) != nil {
		return nil
	}
	for _, v := range optimizerState(layout) {
		if err := engine.AddVariable(store, v.path, tensors.FromShape(v.shape), false); err != nil {
			return err
		}
	}
	return nil
}

// restoreOptimizer restores the variables of the optimizer after a number of steps, as not trainable. The file must
// hold exactly these variables, and at step 0 no variables.
func restoreOptimizer(store *model.Store, file *safetensors.File, layout models.Params, step int) error {
	var state []variable
	if step > 0 {
		state = optimizerState(layout)
	}
	if count := len(layout) + len(state); len(file.Tensors) != count {
		return fmt.Errorf("it has %d variables instead of %d", len(file.Tensors), count)
	}
	for _, want := range state {
		value, err := readState(file, want, step)
		if err != nil {
			return err
		}
		if err := engine.AddVariable(store, want.path, value, false); err != nil {
			return err
		}
	}
	return nil
}

// readState reads a variable of the optimizer after a number of steps.
func readState(file *safetensors.File, want variable, step int) (value *tensors.Tensor, err error) {
	t, ok := file.Tensor(optimizerPrefix + want.path)
	if !ok || t.DType != stateTypes[want.shape.DType] || !slices.Equal(t.Shape, want.shape.Dimensions) {
		return nil, fmt.Errorf("it lacks %s of the optimizer, %s", want.path, want.shape)
	}
	if want.path == stepsDone {
		if done := binary.LittleEndian.Uint64(t.Data); done != uint64(step) {
			return nil, fmt.Errorf("its optimizer has taken %d steps, but its progress says %d", done, step)
		}
	}
	err = engine.Try(func() error {
		value = tensors.FromShape(want.shape)
		return value.MutableBytes(func(data []byte) { copy(data, t.Data) })
	})
	return value, err
}
