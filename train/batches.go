package train

import (
	"context"
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
)

// batches yields the batches of a run. Each is drawn while the step before is computed. An accelerator renders
// augmented images itself: with 35,000 images a step, it would wait for the host.
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

// deviceRenderer augments images on the backend, which holds the whole pool. The images stay there.
type deviceRenderer struct {
	source *data.PoolSource
	pool   *tensors.Tensor // [M,D]
	render *engine.Func
	room   func(points int) int // rounds the points of a set up
}

// newDeviceRenderer returns the renderer of a source on a backend, or nil if the source's images are rendered by the
// host: for the Go backend, and for objectives that read their points there.
func newDeviceRenderer(backend compute.Backend, source data.Source, o Objective) *deviceRenderer {
	pools, ofPool := source.(*data.PoolSource)
	energies, ofEnergies := o.(*energyObjective)
	if !ofPool || !ofEnergies || !energies.takesImages() {
		return nil
	}
	pool, settings := pools.Pool(), pools.Rendering()
	render := engine.NewFunc(backend, "augmentation", func(in []*Node) []*Node {
		d := in[1].Shape().Dimensions // [B,N,1]
		images := settings.RenderGraph(Gather(in[0], Reshape(in[1], -1, 1)), in[2], pool.Height, pool.Width)
		return []*Node{Reshape(images, d[0], d[1], pool.D)}
	})
	return &deviceRenderer{
		source: pools, render: render, room: energies.buckets.InLoop,
		pool: tensors.FromFlatDataAndDimensions(pool.X, pool.Len(), pool.D),
	}
}

// batch draws and renders the batch of a step on the device: batch.Device holds its points [B,room(N),D].
func (r *deviceRenderer) batch(seed uint64, step int) (*data.Batch, error) {
	batch, err := r.source.Draft(seed, step)
	if err != nil {
		return nil, err
	}
	room := r.room(batch.N)
	index, views := make([]int32, batch.B*room), make([]float32, batch.B*room*augment.NumParams)
	for i := range index {
		augment.IdentityParams(views[i*augment.NumParams : (i+1)*augment.NumParams])
	}
	for set := range batch.B {
		copy(index[set*room:], batch.Index[set*batch.N:(set+1)*batch.N])
		if width := batch.N * augment.NumParams; batch.Views != nil { // else the images are not augmented
			copy(views[set*room*augment.NumParams:], batch.Views[set*width:(set+1)*width])
		}
	}
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(index, batch.B, room, 1),
		tensors.FromFlatDataAndDimensions(views, len(index), augment.NumParams),
	}
	defer engine.Free(in...)
	out, err := r.render.Call(append([]*tensors.Tensor{r.pool}, in...)...)
	if err != nil {
		return nil, fmt.Errorf("augment the images of step %d: %w", step, err)
	}
	batch.Device = out[0]
	return batch, nil
}

// onDevice returns the points [B,N,D] of a batch that stays on the device, and nil for other batches.
func onDevice(batch *data.Batch) *tensors.Tensor {
	there, _ := batch.Device.(*tensors.Tensor)
	return there
}
