package train

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// batches yields the batches of a run. Augmented images are rendered on the host for the Go backend, and on the device
// by any other: 35,000 images a step would keep a GPU waiting for the host.
type batches struct {
	source data.Source
	seed   uint64
	device *deviceRenderer // nil: the source renders
}

func newBatches(backend compute.Backend, source data.Source, seed uint64) (*batches, error) {
	b := &batches{source: source, seed: seed}
	pools, ok := source.(*data.PoolSource)
	if !ok || !pools.Pool().IsImages() || engine.OnGo(backend) {
		return b, nil
	}
	var err error
	b.device, err = newDeviceRenderer(backend, pools)
	return b, err
}

// get returns the batch of a step, or the error of ctx if that ends before it is drawn.
func (b *batches) get(ctx context.Context, step int) (*data.Batch, error) {
	draw := b.source.Batch
	if b.device != nil {
		draw = b.device.batch
	}
	return beside.Do(ctx, func() (*data.Batch, error) { return draw(b.seed, step) })
}

// waiting opens sources as open does, but waits no longer than ctx lasts: reading many photos takes minutes.
func waiting(ctx context.Context, open Sources) Sources {
	return func(c data.Config) (data.Source, error) {
		return beside.Do(ctx, func() (data.Source, error) { return open(c) })
	}
}

// deviceRenderer augments images on the backend, where the whole pool stays.
type deviceRenderer struct {
	source *data.PoolSource
	pool   *tensors.Tensor // [M,D]
	render *engine.Func
	rows   func(int) int // rounds the number of images up, so that few graphs are compiled
}

func newDeviceRenderer(backend compute.Backend, source *data.PoolSource) (*deviceRenderer, error) {
	pool := source.Pool()
	render, err := engine.NewFunc(backend, "augmentation", func(in []*Node) []*Node {
		return []*Node{augment.RenderGraph(Gather(in[0], in[1]), in[2], pool.Height, pool.Width)}
	})
	if err != nil {
		return nil, err
	}
	return &deviceRenderer{
		source: source, pool: tensors.FromFlatDataAndDimensions(pool.X, pool.Len(), pool.D), render: render,
		rows: models.BucketsFor(backend.Name()).Rows,
	}, nil
}

func (r *deviceRenderer) batch(seed uint64, step int) (*data.Batch, error) {
	batch, err := r.source.Draft(seed, step)
	if err != nil {
		return nil, err
	}
	count := len(batch.Index)
	rows := r.rows(count)
	index, views := make([]int32, rows), make([]float32, rows*augment.NumParams)
	copy(index, batch.Index)
	for i := range rows {
		augment.IdentityParams(views[i*augment.NumParams : (i+1)*augment.NumParams])
	}
	copy(views, batch.Views)
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(index, rows, 1),
		tensors.FromFlatDataAndDimensions(views, rows, augment.NumParams),
	}
	out, err := r.render.Call(append([]*tensors.Tensor{r.pool}, in...)...)
	engine.Free(in...)
	if err != nil {
		return nil, fmt.Errorf("augment the images of step %d: %w", step, err)
	}
	defer engine.Free(out...)
	x, err := engine.Float32s(out[0])
	if err != nil {
		return nil, err
	}
	batch.X = x[:count*batch.D]
	return batch, nil
}
