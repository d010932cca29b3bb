package train

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	gomlxopt "github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// adamEpsilon is the default of the framework that the published code uses.
const adamEpsilon = 1e-8

// optimizer applies gradients to the store's weights by Adam with clipping and a cosine schedule.
type optimizer struct {
	options Options
	store   *model.Store
	layout  models.Params
	update  *model.Exec
}

func newOptimizer(
	backend compute.Backend, store *model.Store, layout models.Params, options Options,
) (*optimizer, error) {
	adam := gomlxopt.Adam().Epsilon(adamEpsilon).Done()
	withGradients, ok := adam.(interface {
		UpdateGraphWithGradients(scope *model.Scope, grads []*Node, lossDType dtypes.DType)
	})
	if !ok {
		return nil, fmt.Errorf("GoMLX's Adam does not take gradients")
	}
	update, err := model.NewExec(backend, store, func(scope *model.Scope, in []*Node) []*Node {
		rate, norm, grads := in[0], in[1], in[2:]
		scope.SetTraining(rate.Graph(), true) // else GoMLX from v0.28.15 on takes variables as constants
		layout.Nodes(scope, rate.Graph())     // Adam updates the variables that this graph uses
		clipped := grads
		if options.ClipNorm > 0 {
			clipped = scaled(grads, clipping(norm, options.ClipNorm))
		}
		gomlxopt.LearningRateVar(scope, dtypes.Float32, 0).SetNodeValue(rate)
		withGradients.UpdateGraphWithGradients(scope, clipped, dtypes.Float32)
		return []*Node{rate}
	})
	if err != nil {
		return nil, fmt.Errorf("build the optimizer: %w", err)
	}
	return &optimizer{
		options: options, store: store, layout: layout, update: update.WithName("optimizer"),
	}, nil
}

// clipping is the factor that brings a gradient of a norm to at most another one: 1 where it has that already.
func clipping(norm *Node, most float64) *Node {
	bound := Const(norm.Graph(), float32(most))
	return Div(bound, Max(norm, bound))
}

func scaled(gradient []*Node, factor *Node) []*Node {
	all := make([]*Node, len(gradient))
	for i, grad := range gradient {
		all[i] = Mul(grad, factor)
	}
	return all
}

// norm is the Euclidean norm of a gradient by several weights.
func norm(gradient []*Node) *Node {
	var squares *Node
	for _, grad := range gradient {
		s := ReduceAllSum(Square(grad))
		if squares == nil {
			squares = s
		} else {
			squares = Add(squares, s)
		}
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
	if err := beginOptimizer(o.store, o.layout); err != nil {
		return fmt.Errorf("optimizer step %d: %w", step, err)
	}
	args := []any{tensors.FromScalar(float32(o.options.rate(step))), g.norm}
	for _, grad := range g.by {
		args = append(args, grad)
	}
	err := engine.Try(func() error {
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
