package benchmarks

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// partWorks are the parts of a GFNCP step, each called alone on the step's shapes, and the whole step (step gfncp)
// beside them:
//
//	batch               the sets of a step, drawn on the host
//	encode              h' and u' of all points
//	energy table        of all candidates, from h' and u', in one piece
//	objective           encoders, table and all losses, without gradients
//	objective+gradient  the same and the gradient by every weight, in shards side by side as in training
//	negative sample     the loop that draws c̃ of contrastive divergence, encoding included
//	fixed costs         a step on one set of two points: optimizer, weights folded, calls
//
// A step is batch, negative sample, objective+gradient and fixed costs; encode and energy table say where their time
// goes. Results are read back on the host, so that a backend which works ahead is waited for.
func (s Suite) partWorks() (works []work) {
	for _, shape := range s.Sizes.Batches {
		p := &parts{suite: s, shape: shape}
		add := func(name string, open opener) {
			works = append(works, work{
				Result: shape.result("parts", name, train.GFNCP),
				open: func(r *Result) (func() error, error) {
					if err := p.prepare(); err != nil {
						return nil, err
					}
					return open(r)
				},
			})
		}
		add("batch", p.batch)
		add("encode", p.encode)
		add("energy table", p.table)
		add("objective", func(*Result) (func() error, error) { return p.objective(false) })
		add("objective+gradient", func(*Result) (func() error, error) { return p.objective(true) })
		add("negative sample", p.negative)
		c := s.Config(train.GFNCP)
		c.Model = train.NCP // the same network and optimizer, and no negative sample
		fixed := s.step("parts", "fixed costs", Shape{1, 2, 1}, c)
		fixed.Model = train.GFNCP
		whole := s.step("parts", "step gfncp", shape, s.Config(train.GFNCP))
		whole.known = true
		works = append(works, fixed, whole)
	}
	return works
}

// parts holds what the parts of a step on one shape work on.
type parts struct {
	suite  Suite
	shape  Shape
	config train.Config
	source data.Source
	sets   *data.Batch
	params models.Params
	net    *models.Network
}

// prepare draws a batch and puts the weights of step 0 on the backend, once.
func (p *parts) prepare() (err error) {
	if p.net != nil {
		return nil
	}
	p.config = p.shape.on(p.suite.Config(train.GFNCP))
	if p.source, err = sources.Source(p.config.Data); err != nil {
		return err
	}
	if p.sets, err = p.source.Batch(p.config.Seed, 0); err != nil {
		return err
	}
	p.params = p.config.Layout().Init(data.Rand(p.config.Seed, "init", 0))
	p.net, err = models.NewNetwork(p.suite.Backend, p.config.Net, p.params)
	return err
}

func (p *parts) batch(*Result) (func() error, error) {
	step := 0
	return func() error {
		step++
		_, err := p.source.Batch(p.config.Seed, step)
		return err
	}, nil
}

func (p *parts) encode(*Result) (func() error, error) {
	return func() error {
		_, _, err := p.net.Encode(p.sets.X, p.sets.N)
		return err
	}, nil
}

func (p *parts) table(*Result) (func() error, error) {
	h, u, err := p.net.Encode(p.sets.X, p.sets.N)
	return func() error {
		_, err := p.net.TablesOf(h, u, p.sets.Labels, p.sets.B, p.sets.N)
		return err
	}, err
}

func (p *parts) sample() ([][]int32, error) {
	result, err := run(p.net, p.sets, 1, sampling.NewAncestral(rng(), p.sets.B, p.sets.N))
	if err != nil {
		return nil, err
	}
	return result.Labels, nil
}

func (p *parts) negative(r *Result) (func() error, error) {
	return func() error {
		labels, err := p.sample()
		if err == nil {
			r.Found = meanClusters(labels)
		}
		return err
	}, nil
}

// objective evaluates the losses of a data step, and if asked the gradient by every weight.
func (p *parts) objective(gradient bool) (func() error, error) {
	negative, err := p.sample()
	if err != nil {
		return nil, err
	}
	count := len(p.params)
	f, err := engine.NewFunc(p.suite.Backend, "objective", func(in []*graph.Node) []*graph.Node {
		ws, share, rest := in[:count], in[count], in[count+1:]
		folded := models.Fold(p.config.Net, ws)
		table := folded.Table(models.TableInputsFrom(rest))
		labels, slots := rest[models.NumTableInputs], rest[models.NumTableInputs+1]
		sets := losses.Sets{Table: table, Negative: folded.FinalEnergy(table, labels, slots)}
		loss := p.config.Loss.Objective(losses.DataStep, sets, share).Loss
		if !gradient {
			return []*graph.Node{loss}
		}
		return append([]*graph.Node{loss}, graph.Gradient(loss, ws...)...)
	})
	if err != nil {
		return nil, err
	}
	shards := 1
	if p.net.OnGo() {
		shards = min(p.config.Train.Shards, p.sets.B)
	}
	weights := make([][]*tensors.Tensor, shards) // of each shard: a tensor must not go to the device twice at once
	for i := range weights {
		weights[i] = p.params.Tensors()
	}
	return func() error { return p.eachShard(f, weights, negative) }, nil
}

// eachShard calls f on the shards of the batch, side by side, each with its weights.
func (p *parts) eachShard(f *engine.Func, weights [][]*tensors.Tensor, negative [][]int32) error {
	shards := len(weights)
	errs := make([]error, shards)
	var wg sync.WaitGroup
	for i := range shards {
		from, to := i*p.sets.B/shards, (i+1)*p.sets.B/shards
		wg.Go(func() { errs[i] = p.callOn(f, weights[i], p.sets.Slice(from, to), negative[from:to]) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

func (p *parts) callOn(f *engine.Func, weights []*tensors.Tensor, batch *data.Batch, negative [][]int32) error {
	c, err := models.ListCandidates(batch.Labels, batch.B, batch.N, p.net.Buckets)
	if err != nil {
		return err
	}
	in := []*tensors.Tensor{tensors.FromScalar(1 / float32(p.sets.B)), c.PadPoints(batch.X, batch.D)}
	in = append(append(in, c.Tensors()...), models.PadLabels(negative, c.N, p.net.Buckets)...)
	defer engine.Free(in...)
	out, err := f.Call(slices.Concat(weights, in)...)
	if err != nil {
		return err
	}
	defer engine.Free(out...)
	for _, t := range out {
		if _, err := engine.Float32s(t); err != nil {
			return fmt.Errorf("read the objective: %w", err)
		}
	}
	return nil
}
