package train

import (
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// peerLearner trains ST, DAC or CCP by its own objective. On the Go backend a batch is cut into shards, as for the energy
// network.
type peerLearner struct {
	config   Config
	backend  compute.Backend
	store    *model.Store
	method   peers.Method
	layout   models.Params
	buckets  models.Buckets
	shards   int
	gradient *model.Exec // share, inputs → loss, gradient by weight
	loss     *model.Exec // share, inputs → loss
}

func newPeerLearner(backend compute.Backend, store *model.Store, c Config) (*peerLearner, error) {
	l := &peerLearner{config: c, backend: backend, store: store, method: c.method(), buckets: models.BucketsFor(backend.Name()), shards: 1}
	l.layout = l.method.Layout()
	if engine.OnGo(backend) {
		l.shards = c.Train.Shards
	}
	var err error
	if l.gradient, err = l.build(true); err == nil {
		l.loss, err = l.build(false)
	}
	return l, err
}

func (l *peerLearner) build(gradient bool) (*model.Exec, error) {
	exec, err := model.NewExec(l.backend, l.store, func(scope *model.Scope, in []*Node) []*Node {
		weights := l.layout.Nodes(scope, in[0].Graph())
		loss := l.method.Loss(weights, in[0], in[1:])
		out := []*Node{loss}
		if gradient {
			out = append(out, Gradient(loss, weights...)...)
		}
		return out
	})
	if err != nil {
		return nil, fmt.Errorf("build the training step: %w", err)
	}
	return exec.SetMaxCache(-1), nil
}

func (l *peerLearner) step(step int, batch *data.Batch, report *StepReport) ([]*tensors.Tensor, error) {
	report.Kind = l.config.Model
	loss, grads, err := l.compute(l.gradient, "step", step, batch)
	report.Loss = loss
	return grads, err
}

func (l *peerLearner) value(i int, batch *data.Batch) (float64, error) {
	loss, _, err := l.compute(l.loss, "valid-step", i, batch)
	return loss, err
}

// compute runs exec on the shards of a batch and sums their results up. The random choices follow from seed, stream and step.
func (l *peerLearner) compute(exec *model.Exec, stream string, step int, batch *data.Batch) (float64, []*tensors.Tensor, error) {
	parts := min(l.shards, batch.B)
	outs := make([][]*tensors.Tensor, parts)
	errs := make([]error, parts)
	var wg sync.WaitGroup
	for part := range parts {
		piece := batch.Slice(part*batch.B/parts, (part+1)*batch.B/parts)
		wg.Go(func() {
			rng := data.Rand(l.config.Seed, fmt.Sprintf("%s/%d", stream, part), step)
			in, err := l.method.Inputs(rng, piece, l.buckets)
			if err != nil {
				errs[part] = err
				return
			}
			outs[part], errs[part] = runExec(exec, append([]*tensors.Tensor{tensors.FromScalar(1 / float32(batch.B))}, in...))
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, nil, err
		}
	}
	terms, grads, err := sumShards(outs, 1)
	return terms[0], grads, err
}

// cluster opens the method with the current weights: often enough for validations, not for every step.
func (l *peerLearner) cluster(i int, batch *data.Batch) ([][]int32, error) {
	weights, err := l.layout.FromStore(l.store)
	if err != nil {
		return nil, err
	}
	clusterer, err := l.method.Open(l.backend, weights)
	if err != nil {
		return nil, err
	}
	return clusterer.Cluster(data.Rand(l.config.Seed, "valid-cluster", i), batch.X, batch.B, batch.N)
}

// runExec calls a training function and frees its arguments.
func runExec(exec *model.Exec, in []*tensors.Tensor) (out []*tensors.Tensor, err error) {
	args := make([]any, len(in))
	for i, t := range in {
		args[i] = t
	}
	err = engine.Try(func() error {
		var err error
		out, err = exec.Exec(args...)
		return err
	})
	engine.Free(in...)
	if err != nil {
		return nil, fmt.Errorf("training step: %w", err)
	}
	return out, nil
}
