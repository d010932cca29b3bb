package train

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
)

// evaluator computes an objective on batches, in training steps with its gradient. It cuts a batch into parts that run
// side by side on the Go backend, as many as the config says, because only matrix products use several cores there. The
// results are added in a fixed order.
type evaluator struct {
	weights   *weights
	objective Objective
	parts     int
	programs  map[string]*program // by name
	sum       *engine.Func        // of several parts' gradients
}

// gradient is the gradient of one step: its Euclidean norm, a scalar, and then the gradient by each weight.
type gradient []*tensors.Tensor

// program computes the loss and its parts in one vector. In training it also returns the gradient by each weight, and
// the gradient's norm if one part is the whole batch.
type program struct {
	run   *engine.Func
	parts atomic.Pointer[[]string] // the names of the parts, once the graph is built
}

// Values are the results of an objective on a batch: the loss and each of its named parts, as means over the sets, and
// in training the norm of the gradient.
type Values struct {
	Loss  float64
	Parts map[string]float64
	Norm  float64
}

func newEvaluator(w *weights, o Objective, shards int) *evaluator {
	e := &evaluator{weights: w, objective: o, parts: 1, programs: map[string]*program{}}
	if engine.OnGo(w.backend) {
		e.parts = shards
	}
	e.sum = engine.NewFunc(w.backend, "sum of gradients", func(in []*Node) []*Node {
		count := len(w.layout)
		total := slices.Clone(in[:count])
		for part := count; part < len(in); part += count {
			for i := range total {
				total[i] = Add(total[i], in[part+i])
			}
		}
		return append([]*Node{norm(total)}, total...)
	})
	return e
}

// program returns the program that computes tasks of a kind, held or with the gradient.
func (e *evaluator) program(kind string, held bool) *program {
	name := "gradient of " + kind
	if held {
		name = "validation of " + kind
	}
	if p := e.programs[name]; p != nil {
		return p
	}
	p := &program{}
	p.run = engine.NewFunc(e.weights.backend, name, func(in []*Node) []*Node {
		count := 1 + len(e.weights.layout)
		share, weights := in[0], in[1:count]
		terms := e.objective.Loss(kind, held, weights, share, in[count:])
		scalars, names := []*Node{Reshape(terms.Loss, 1)}, []string{}
		for _, part := range terms.Parts {
			scalars, names = append(scalars, Reshape(part.Node, 1)), append(names, part.Name)
		}
		p.parts.Store(&names)
		out := []*Node{Concatenate(scalars, 0)}
		if held {
			return out
		}
		gradient := Gradient(terms.Loss, weights...)
		if e.parts == 1 {
			out = append(out, norm(gradient))
		}
		return append(out, gradient...)
	})
	e.programs[name] = p
	return p
}

// compute evaluates a task; the gradient is nil at a held moment. If ctx ends, compute returns its error; a running
// program ends in the background, where it only reads the weights.
func (e *evaluator) compute(ctx context.Context, at Moment, task Task) (Values, gradient, error) {
	if err := ctx.Err(); err != nil {
		return Values{}, nil, err
	}
	p := e.program(task.Kind, at.Held)
	outs, err := e.parallel(ctx, p, at, task)
	if err != nil {
		return Values{}, nil, err
	}
	values, err := sumValues(outs, *p.parts.Load())
	if err != nil || at.Held {
		return values, nil, err
	}
	g, err := e.gradient(outs)
	if err != nil {
		return values, nil, err
	}
	norm, err := engine.Float32s(g[0])
	if err == nil {
		values.Norm = float64(norm[0])
	}
	return values, g, err
}

// parallel computes the parts of a task side by side and returns the results of each.
func (e *evaluator) parallel(ctx context.Context, p *program, at Moment, task Task) ([][]*tensors.Tensor, error) {
	outs := make([][]*tensors.Tensor, min(e.parts, task.Batch.B))
	return beside.Do(ctx, func() ([][]*tensors.Tensor, error) {
		return outs, engine.SideBySide(ctx, e.weights.backend, len(outs), 1, func(part, _ int) (err error) {
			outs[part], err = e.part(p, at, part, task.shard(part, len(outs)), task.Batch.B)
			return err
		})
	})
}

func (e *evaluator) part(p *program, at Moment, part int, shard Task, sets int) ([]*tensors.Tensor, error) {
	in, err := e.objective.Inputs(at, part, shard)
	if err != nil {
		return nil, err
	}
	share := tensors.FromScalar(1 / float32(sets))
	defer engine.Free(append(in, share)...)
	out, err := p.run.Call(slices.Concat([]*tensors.Tensor{share}, e.weights.values, in)...)
	if err != nil {
		return nil, fmt.Errorf("training step: %w", err)
	}
	return out, nil
}

// sumValues adds the parts' scalars in order and frees them.
func sumValues(outs [][]*tensors.Tensor, names []string) (Values, error) {
	v := Values{Parts: map[string]float64{}}
	for _, out := range outs {
		scalars, err := engine.Float32s(out[0])
		if err != nil {
			return Values{}, err
		}
		v.Loss += float64(scalars[0])
		for i, name := range names {
			v.Parts[name] += float64(scalars[1+i])
		}
		engine.Free(out[0])
	}
	return v, nil
}

// gradient adds the parts' gradients in order, and frees them.
func (e *evaluator) gradient(outs [][]*tensors.Tensor) (gradient, error) {
	if e.parts == 1 {
		return outs[0][1:], nil
	}
	var all []*tensors.Tensor
	for _, out := range outs {
		all = append(all, out[1:]...)
	}
	defer engine.Free(all...)
	return e.sum.Call(all...)
}
