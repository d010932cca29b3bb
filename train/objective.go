package train

import (
	"context"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// Objective is the training objective of a model. For each batch a trainer asks it for a task (Plan) and for the
// tensors of each shard (Inputs); once for each kind of task it asks for the graph of the loss (Loss). Every random
// choice follows from the seed and the moment. It reads the current weights from the trainer's store.
type Objective interface {
	// Plan returns the task of a batch. It may return metrics.ErrNotFinite for weights that have diverged. It returns
	// the error of ctx once that has ended.
	Plan(ctx context.Context, at Moment, batch *data.Batch) (Task, error)
	// Inputs returns the tensors that Loss reads as in for the part-th shard of a task. It is called for all shards
	// concurrently.
	Inputs(at Moment, part int, shard Task) ([]*tensors.Tensor, error)
	// Loss builds the objective of a kind of task: the scalar to minimize and its named parts, all of them Σ over the
	// sets of share × a set's value. weights are in the layout's order, share is a scalar (1/B of the whole batch), in
	// are the nodes of Inputs' tensors. held is true for a batch of a validation.
	Loss(kind string, held bool, weights []*Node, share *Node, in []*Node) losses.Terms
	// Cluster returns the point estimate of each set of the i-th validation batch, canonical labels [B][N], under the
	// current weights. It returns the error of ctx once that has ended.
	Cluster(ctx context.Context, i int, batch *data.Batch) ([][]int32, error)
}

// Moment identifies the batch of a training step, counted from 0, or with Held a batch of a validation.
type Moment struct {
	Index int
	Held  bool
}

// rand returns the generator of a stream at the moment; training and validations have different ones.
func (m Moment) rand(seed uint64, stream string) *rand.Rand {
	if m.Held {
		stream = "valid-" + stream
	}
	return data.Rand(seed, stream, m.Index)
}

// Task is a batch with the kind of objective to compute on it.
type Task struct {
	Kind     string      // kind of objective, as logs name it: "data", "explore", …
	Batch    *data.Batch // the sets, with the labels that the objective reads
	Negative [][]int32   // labels of the negative sample [B][N], or nil
}

// shard returns a part of a task. A task of several parts must be on the host.
func (t Task) shard(part, parts int) Task {
	if parts == 1 {
		return t
	}
	from, to := part*t.Batch.B/parts, (part+1)*t.Batch.B/parts
	t.Batch = t.Batch.Slice(from, to)
	if t.Negative != nil {
		t.Negative = t.Negative[from:to]
	}
	return t
}

// peerObjective trains a peer by its own objective, which has one kind of task, named after the model, and no parts.
type peerObjective struct {
	peers.Method
	config  Config
	weights *weights
	buckets models.Buckets
}

func (o *peerObjective) Plan(_ context.Context, _ Moment, batch *data.Batch) (Task, error) {
	return Task{Kind: o.config.Model, Batch: batch}, nil
}

func (o *peerObjective) Inputs(at Moment, part int, shard Task) ([]*tensors.Tensor, error) {
	return o.Method.Inputs(at.rand(o.config.Seed, fmt.Sprintf("step/%d", part)), shard.Batch, o.buckets)
}

func (o *peerObjective) Loss(_ string, _ bool, weights []*Node, share *Node, in []*Node) losses.Terms {
	return losses.Terms{Loss: o.Method.Loss(weights, share, in)}
}

// Cluster opens the method with the current weights: too slow for every step, but not for validations.
func (o *peerObjective) Cluster(ctx context.Context, i int, batch *data.Batch) ([][]int32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	weights, err := o.weights.onHost()
	if err != nil {
		return nil, err
	}
	clusterer, err := o.Open(o.weights.backend, weights)
	if err != nil {
		return nil, err
	}
	return clusterer.Cluster(Moment{i, true}.rand(o.config.Seed, "cluster"), batch.X, batch.B, batch.N)
}
