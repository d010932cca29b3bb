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
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// The kinds of a training step.
type stepKind int

const (
	likelihoodStep  stepKind = iota // NCP
	warmupStep                      // GFNCP's likelihood warm-up
	dataStep                        // GFNCP on the data's labels, with a negative sample
	explorationStep                 // GFNCP on labels c^U
	numKinds
)

// numTerms is the number of scalars before the gradients in a gradient function's results.
const numTerms = 5

// Terms are the objective's parts on one batch, each a mean over the sets (losses.Terms on the host).
type Terms struct{ Loss, MC, CD, Reg, NLL float64 }

// gradients computes the objective and its gradient for batches. On the Go backend a batch is cut into shards that run
// side by side, since there only matrix products use several cores; their gradients add up in a fixed order.
type gradients struct {
	store   *model.Store
	seed    uint64
	net     models.Config
	loss    losses.Config
	buckets models.Buckets
	shards  int
	funcs   [numKinds]*model.Exec // by stepKind
	values  [numKinds]*model.Exec // the same without gradients
}

func newGradients(backend compute.Backend, store *model.Store, c Config) (*gradients, error) {
	g := &gradients{store: store, seed: c.Seed, net: c.Net, loss: c.Loss, buckets: models.BucketsFor(backend.Name()), shards: c.Train.Shards}
	if !engine.OnGo(backend) {
		g.shards = 1
	}
	for kind := range g.funcs {
		for _, slot := range []struct {
			execs    *[numKinds]*model.Exec
			gradient bool
		}{{&g.funcs, true}, {&g.values, false}} {
			exec, err := model.NewExec(backend, store, g.build(stepKind(kind), slot.gradient))
			if err != nil {
				return nil, fmt.Errorf("build the training step: %w", err)
			}
			slot.execs[kind] = exec.SetMaxCache(-1)
		}
	}
	return g, nil
}

// build returns the graph function of one kind of step. Its inputs are 1/B, the table's inputs, on a data step the labels of
// the negative sample [B,N] and the slots [K], and for the gradient of an image network the state of dropout.
func (g *gradients) build(kind stepKind, gradient bool) func(scope *model.Scope, in []*Node) []*Node {
	return func(scope *model.Scope, in []*Node) []*Node {
		weights := g.net.Layout().Nodes(scope, in[0].Graph())
		folded := models.Fold(g.net, weights)
		share, rest := in[0], in[1+models.NumTableInputs:]
		inputs := models.TableInputsFrom(in[1:])
		if gradient && g.drops() {
			inputs.Drop = &models.Dropout{State: in[len(in)-1]}
		}
		table := folded.Table(inputs)
		var terms losses.Terms
		switch kind {
		case likelihoodStep:
			terms = g.loss.Likelihood(table, share)
		case warmupStep:
			terms = g.loss.Warmup(table, share)
		case dataStep:
			terms = g.loss.Consistency(table, folded.FinalEnergy(table, rest[0], rest[1]), share)
		default:
			terms = g.loss.Consistency(table, nil, share)
		}
		out := []*Node{terms.Loss, terms.MC, terms.CD, terms.Reg, terms.NLL}
		if gradient {
			out = append(out, Gradient(terms.Loss, weights...)...)
		}
		return out
	}
}

// drops reports whether training steps drop units.
func (g *gradients) drops() bool { return g.net.Encoder == models.EncoderConv }

// value returns the objective's terms on a batch. negative [B,N] is used on data steps.
func (g *gradients) value(kind stepKind, batch *data.Batch, negative [][]int32) (Terms, error) {
	terms, _, err := g.compute(kind, batch, negative, false, 0)
	return terms, err
}

// gradient returns the terms and the gradient by weight for a training step, whose number seeds dropout.
func (g *gradients) gradient(kind stepKind, batch *data.Batch, negative [][]int32, step int) (Terms, []*tensors.Tensor, error) {
	return g.compute(kind, batch, negative, true, step)
}

func (g *gradients) compute(kind stepKind, batch *data.Batch, negative [][]int32, gradient bool, step int) (Terms, []*tensors.Tensor, error) {
	parts := min(g.shards, batch.B)
	outs := make([][]*tensors.Tensor, parts)
	errs := make([]error, parts)
	var wg sync.WaitGroup
	for part := range parts {
		from, to := part*batch.B/parts, (part+1)*batch.B/parts
		wg.Go(func() {
			s := shard{batch: batch.Slice(from, to), total: batch.B, gradient: gradient}
			if kind == dataStep {
				s.negative = negative[from:to]
			}
			if gradient && g.drops() {
				rng := data.Rand(g.seed, fmt.Sprintf("dropout/%d", part), step)
				s.dropout = []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
			}
			outs[part], errs[part] = g.run(kind, s)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return Terms{}, nil, err
		}
	}
	sums, grads, err := sumShards(outs, numTerms)
	if err != nil {
		return Terms{}, nil, err
	}
	return Terms{Loss: sums[0], MC: sums[1], CD: sums[2], Reg: sums[3], NLL: sums[4]}, grads, nil
}

// shard is one part of a batch of total sets.
type shard struct {
	batch    *data.Batch
	negative [][]int32
	total    int
	gradient bool
	dropout  []uint64 // the random state, nil without dropout
}

// run evaluates one shard.
func (g *gradients) run(kind stepKind, s shard) ([]*tensors.Tensor, error) {
	c, err := models.ListCandidates(s.batch.Labels, s.batch.B, s.batch.N, g.buckets)
	if err != nil {
		return nil, err
	}
	in := []*tensors.Tensor{tensors.FromScalar(1 / float32(s.total)), c.PadPoints(s.batch.X, s.batch.D)}
	in = append(in, c.Tensors()...)
	if kind == dataStep {
		in = append(in, c.PadLabels(s.negative, g.buckets)...)
	}
	if s.dropout != nil {
		in = append(in, tensors.FromFlatDataAndDimensions(s.dropout, len(s.dropout)))
	}
	exec := g.values[kind]
	if s.gradient {
		exec = g.funcs[kind]
	}
	return runExec(exec, in)
}

// sumShards adds the shards' results up in order and frees all but the sum. The first count results are scalars.
func sumShards(outs [][]*tensors.Tensor, count int) ([]float64, []*tensors.Tensor, error) {
	terms := make([]float64, count)
	for _, out := range outs {
		for i, t := range out[:count] {
			terms[i] += float64(tensors.ToScalar[float32](t))
		}
		engine.Free(out[:count]...)
	}
	total := outs[0][count:]
	for _, out := range outs[1:] {
		for i, t := range out[count:] {
			if err := addInto(total[i], t); err != nil {
				return nil, nil, err
			}
		}
		engine.Free(out[count:]...)
	}
	return terms, total, nil
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
