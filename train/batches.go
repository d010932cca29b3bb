package train

import (
	"context"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/beside"
)

// batches yields the batches of a run. Each is drawn, and brought to the device, while the step before is computed.
type batches struct {
	source data.Source
	seed   uint64
	steps  int                     // number of steps; no batch is drawn ahead for later ones
	bring  func(*data.Batch) error // nil: batches stay on the host
	ahead  int                     // the step of next
	next   func() (*data.Batch, error)
}

// get returns the batch of a step, or the error of ctx if that ends first. It must not be called for two steps at once.
func (b *batches) get(ctx context.Context, step int) (*data.Batch, error) {
	if b.next == nil || b.ahead != step {
		b.begin(step)
	}
	batch, err := beside.Do(ctx, b.next)
	if b.next = nil; err == nil && step+1 < b.steps {
		b.begin(step + 1)
	}
	return batch, err
}

// begin draws the batch of a step in the background. The batch depends only on the seed and the step.
func (b *batches) begin(step int) {
	batch := sync.OnceValues(func() (*data.Batch, error) {
		batch, err := b.source.Batch(b.seed, step)
		if err == nil && b.bring != nil {
			err = b.bring(batch)
		}
		return batch, err
	})
	go func() { _, _ = batch() }()
	b.ahead, b.next = step, batch
}
