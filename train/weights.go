package train

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// weights are the weights of a trainer's store on each device that its steps use. The first device has the store's own
// tensors, which the optimizer changes; the others have copies.
type weights struct {
	backend compute.Backend
	store   *model.Store
	layout  models.Params
	copies  map[int][]*tensors.Tensor // by device
}

func newWeights(backend compute.Backend, store *model.Store, layout models.Params) *weights {
	return &weights{backend: backend, store: store, layout: layout, copies: map[int][]*tensors.Tensor{}}
}

// on returns the current weights on a device, in the layout's order. They may be arguments of several calls at once,
// and stay valid until the next optimizer step.
func (w *weights) on(device int) ([]*tensors.Tensor, error) {
	if known := w.copies[device]; known != nil {
		return known, nil
	}
	own := make([]*tensors.Tensor, len(w.layout))
	for i, p := range w.layout {
		var err error
		if own[i], err = w.store.GetVariable("/" + p.Name).Value(); err != nil {
			return nil, fmt.Errorf("read weight %s: %w", p.Name, err)
		}
	}
	if err := engine.MoveTo(w.backend, 0, own...); err != nil || device == 0 {
		return own, err
	}
	copies, err := engine.CopyTo(w.backend, device, own)
	if err == nil {
		w.copies[device] = copies
	}
	return copies, err
}

// changed drops the copies, because the optimizer has changed the weights.
func (w *weights) changed() {
	for _, copies := range w.copies {
		engine.Free(copies...)
	}
	clear(w.copies)
}

// shards is the number of parts into which a batch of so many sets is cut.
func shards(most, sets int) int { return min(most, sets) }

// bounds returns the first set of a part of a batch, and the first one after it.
func bounds(part, parts, sets int) (from, to int) {
	return part * sets / parts, (part + 1) * sets / parts
}
