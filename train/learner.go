package train

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/ccp"
	"github.com/gfncp/gfncp/models/peers/dac"
	"github.com/gfncp/gfncp/models/peers/st"
)

// learner is what a trainer optimizes: the energy network by one of its objectives, or a peer. It reads the current weights
// from the trainer's store.
type learner interface {
	// step returns the gradient by weight of the objective on the batch of a step (0-based), and fills what it knows into the
	// report: at least Kind and Loss.
	step(step int, batch *data.Batch, report *StepReport) ([]*tensors.Tensor, error)
	// value returns the objective on the i-th validation batch. Its random choices depend on i alone.
	value(i int, batch *data.Batch) (float64, error)
	// cluster returns the point estimate of each set of the i-th validation batch.
	cluster(i int, batch *data.Batch) ([][]int32, error)
}

func newLearner(backend compute.Backend, store *model.Store, c Config) (learner, error) {
	if c.IsPeer() {
		return newPeerLearner(backend, store, c)
	}
	return newEnergyLearner(backend, store, c)
}

// method returns the peer that the config describes.
func (c Config) method() peers.Method {
	switch c.Model {
	case ST:
		return st.New(c.Net, c.Peer)
	case DAC:
		return dac.New(c.Net, c.Peer)
	case CCP:
		return ccp.New(c.Net, c.Peer)
	}
	return nil
}

// IsPeer reports whether the model is one that the paper compares with: ST, DAC or CCP.
func (c Config) IsPeer() bool { return c.Model == ST || c.Model == DAC || c.Model == CCP }

// Layout lists the weights of the configured model, of any kind, without values.
func (c Config) Layout() models.Params {
	if c.IsPeer() {
		return c.method().Layout()
	}
	return c.Net.Layout()
}

// current reads the layout's weights from a store, as the tensors that the store holds.
func current(store *model.Store, layout models.Params) ([]*tensors.Tensor, error) {
	weights := make([]*tensors.Tensor, len(layout))
	for i, p := range layout {
		var err error
		if weights[i], err = store.GetVariable("/" + p.Name).Value(); err != nil {
			return nil, fmt.Errorf("read weight %s: %w", p.Name, err)
		}
	}
	return weights, nil
}
