package train

import (
	"context"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/beside"
)

// batches yields the batches of a run. Each is drawn while the step before is computed. An accelerator renders augmented
// images itself: with 35,000 images a step, it would wait for the host.
type batches struct {
	source data.Source
	seed   uint64
	steps  int             // number of steps; no batch is drawn ahead for later ones
	device *deviceRenderer // nil: the source renders
	ahead  int             // the step of next
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
	draw := b.source.Batch
	if b.device != nil {
		draw = b.device.batch
	}
	batch := sync.OnceValues(func() (*data.Batch, error) { return draw(b.seed, step) })
	go func() { _, _ = batch() }()
	b.ahead, b.next = step, batch
}
