package train

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
)

// evaluator computes an objective on batches, for training steps with its gradient. On the Go backend a batch is cut
// into shards that run side by side, since there only matrix products use several cores; their results add up in a
// fixed order.
type evaluator struct {
	backend   compute.Backend
	store     *model.Store
	objective Objective
	shards    int
	programs  map[programKey]*program
}

// sharer is an objective whose kinds of tasks may share graphs.
type sharer interface {
	// Graph is the kind whose graph computes a kind.
	Graph(kind string) string
}

// programKey tells the compiled graphs apart.
type programKey struct {
	kind string
	held bool
}

// name is what reports call the graph.
func (k programKey) name() string {
	if k.held {
		return "validation of " + k.kind
	}
	return "gradient of " + k.kind
}

// program computes the loss, its parts and the gradient's norm in one vector, and in training the gradient by weight.
type program struct {
	exec  *model.Exec
	first engine.FirstCalls
	parts atomic.Pointer[[]string] // the names of the parts, once the graph is built
}

// Values are an objective on a batch, on the host: a mean over the sets of the loss and of each of its named parts.
type Values struct {
	Loss  float64
	Parts map[string]float64
	norm  *float64 // of the gradient, where one shard computed it
}

func newEvaluator(backend compute.Backend, store *model.Store, o Objective, shards int) *evaluator {
	if !engine.OnGo(backend) {
		shards = 1
	}
	return &evaluator{backend: backend, store: store, objective: o, shards: shards, programs: map[programKey]*program{}}
}

func (e *evaluator) program(key programKey) (*program, error) {
	if p := e.programs[key]; p != nil {
		return p, nil
	}
	p := &program{first: engine.FirstCalls{Backend: e.backend, Program: key.name()}}
	exec, err := model.NewExec(e.backend, e.store, func(scope *model.Scope, in []*Node) []*Node {
		p.first.Begin()
		weights := e.objective.Layout().Nodes(scope, in[0].Graph())
		terms := e.objective.Loss(key.kind, key.held, weights, in[0], in[1:])
		scalars, names := []*Node{Reshape(terms.Loss, 1)}, []string{}
		for _, part := range terms.Parts {
			scalars, names = append(scalars, Reshape(part.Node, 1)), append(names, part.Name)
		}
		p.parts.Store(&names)
		var gradient []*Node
		if !key.held {
			gradient = Gradient(terms.Loss, weights...)
			if e.shards == 1 {
				scalars = append(scalars, Reshape(norm(gradient), 1))
			}
		}
		return append([]*Node{Concatenate(scalars, 0)}, gradient...)
	})
	if err != nil {
		return nil, fmt.Errorf("build the training step: %w", err)
	}
	p.exec = exec.SetMaxCache(-1).WithName(key.name())
	e.programs[key] = p
	return p, nil
}

// compute evaluates a task; the gradient by weight is nil at a held moment. The end of ctx ends it with the context's
// error, but a program that runs cannot be stopped: it comes to its end in the background, where it only reads the
// weights, and its results are dropped.
func (e *evaluator) compute(ctx context.Context, at Moment, task Task) (Values, []*tensors.Tensor, error) {
	if err := ctx.Err(); err != nil {
		return Values{}, nil, err
	}
	graph := task.Kind
	if o, ok := e.objective.(sharer); ok {
		graph = o.Graph(task.Kind)
	}
	p, err := e.program(programKey{graph, at.Held})
	if err != nil {
		return Values{}, nil, err
	}
	parts := min(e.shards, task.Batch.B)
	outs, errs := make([][]*tensors.Tensor, parts), make([]error, parts)
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0)) // more at a time would only take more memory
	for part := range parts {
		shard := task.slice(part*task.Batch.B/parts, (part+1)*task.Batch.B/parts)
		wg.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			if errs[part] = ctx.Err(); errs[part] != nil {
				return
			}
			in, err := e.objective.Inputs(at, part, shard)
			if err != nil {
				errs[part] = err
				return
			}
			share := tensors.FromScalar(1 / float32(task.Batch.B))
			outs[part], errs[part] = p.run(append([]*tensors.Tensor{share}, in...))
		})
	}
	if _, err := beside.Do(ctx, func() (any, error) {
		wg.Wait()
		return nil, cmp.Or(errs...)
	}); err != nil {
		return Values{}, nil, err
	}
	values, gradient, err := sumShards(outs, *p.parts.Load())
	if graph != task.Kind {
		for _, t := range losses.Named() {
			if !t.OnStep(task.Kind) {
				delete(values.Parts, t.Name)
			}
		}
	}
	return values, gradient, err
}

// run calls the program and frees its arguments.
func (p *program) run(in []*tensors.Tensor) (out []*tensors.Tensor, err error) {
	args := make([]any, len(in))
	for i, t := range in {
		args[i] = t
	}
	err = engine.Try(func() error {
		var err error
		out, err = p.exec.Exec(args...)
		return err
	})
	engine.Free(in...)
	if err != nil {
		return nil, fmt.Errorf("training step: %w", err)
	}
	p.first.End()
	return out, nil
}

// sumShards adds the shards' results up in order and frees all but the sum: the loss with its named parts, and the
// gradient.
func sumShards(outs [][]*tensors.Tensor, names []string) (Values, []*tensors.Tensor, error) {
	v := Values{Parts: map[string]float64{}}
	for _, out := range outs {
		scalars, err := engine.Float32s(out[0])
		if err != nil {
			return Values{}, nil, err
		}
		v.Loss += float64(scalars[0])
		for i, name := range names {
			v.Parts[name] += float64(scalars[1+i])
		}
		if len(scalars) > 1+len(names) {
			norm := float64(scalars[1+len(names)])
			v.norm = &norm
		}
		engine.Free(out[0])
	}
	total := outs[0][1:]
	for _, out := range outs[1:] {
		for i, t := range out[1:] {
			if err := addInto(total[i], t); err != nil {
				return Values{}, nil, err
			}
		}
		engine.Free(out[1:]...)
	}
	return v, total, nil
}

func addInto(sum, t *tensors.Tensor) error {
	return engine.Try(func() error {
		return tensors.ConstFlatData(t, func(from []float32) {
			tensors.MustMutableFlatData(sum, func(into []float32) {
				for i, v := range from {
					into[i] += v
				}
			})
		})
	})
}
