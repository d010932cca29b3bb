package train

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// peerObjective trains a peer by its own objective, which has one kind of task, named after the model, and no parts.
type peerObjective struct {
	peers.Method
	config  Config
	weights *weights
	buckets models.Buckets
}

func newPeerObjective(w *weights, c Config) *peerObjective {
	buckets := models.BucketsFor(w.backend.Name())
	buckets.Points = c.buckets(w.backend).Points
	return &peerObjective{Method: c.method(), config: c, weights: w, buckets: buckets}
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

// Cluster opens the method with the current weights: often enough for validations, not for every step.
func (o *peerObjective) Cluster(ctx context.Context, i int, batch *data.Batch) ([][]int32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	weights, err := o.Layout().FromStore(o.weights.store)
	if err != nil {
		return nil, err
	}
	clusterer, err := o.Open(o.weights.backend, weights)
	if err != nil {
		return nil, err
	}
	return clusterer.Cluster(Moment{i, true}.rand(o.config.Seed, "cluster"), batch.X, batch.B, batch.N)
}
