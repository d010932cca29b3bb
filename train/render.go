package train

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// deviceRenderer augments images on the backend, which holds the whole pool.
type deviceRenderer struct {
	source *data.PoolSource
	pool   *tensors.Tensor // [M,D]
	render *engine.Func
	rows   func(int) int // rounds the number of images up, so that few graphs are compiled
	// padding returns the padded number of points of the sets in a batch on the device. It is nil if batches go to the
	// host.
	padding func(b *data.Batch) int
}

func newDeviceRenderer(backend compute.Backend, source *data.PoolSource) (*deviceRenderer, error) {
	pool, settings := source.Pool(), source.Rendering()
	render, err := engine.NewFunc(backend, "augmentation", func(in []*Node) []*Node {
		dims := slices.Clone(in[1].Shape().Dimensions) // [..., 1]
		images := settings.RenderGraph(Gather(in[0], Reshape(in[1], -1, 1)), in[2], pool.Height, pool.Width)
		dims[len(dims)-1] = pool.D
		return []*Node{Reshape(images, dims...)}
	})
	if err != nil {
		return nil, err
	}
	return &deviceRenderer{
		source: source, render: render, rows: models.BucketsFor(backend.Name()).Rows,
		pool: tensors.FromFlatDataAndDimensions(pool.X, pool.Len(), pool.D),
	}, nil
}

// batch draws and renders the batch of a step, for the host or on the device.
func (r *deviceRenderer) batch(seed uint64, step int) (*data.Batch, error) {
	batch, err := r.source.Draft(seed, step)
	if err != nil {
		return nil, err
	}
	if r.padding != nil {
		batch.Device, err = r.call(batch, batch.N, batch.B, r.padding(batch), 1)
	} else {
		err = r.renderToHost(batch)
	}
	if err != nil {
		return nil, fmt.Errorf("augment the images of step %d: %w", step, err)
	}
	return batch, nil
}

func (r *deviceRenderer) renderToHost(batch *data.Batch) error {
	images, err := r.call(batch, len(batch.Index), r.rows(len(batch.Index)), 1)
	if err != nil {
		return err
	}
	defer engine.Free(images)
	x, err := engine.Float32s(images)
	if err == nil {
		batch.X = x[:len(batch.Index)*batch.D]
	}
	return err
}

// call renders the images of a batch. The result is [...,D] for dims [...,1]. Groups of so many images are padded to
// the last but one of dims.
func (r *deviceRenderer) call(batch *data.Batch, group int, dims ...int) (*tensors.Tensor, error) {
	room, all := dims[len(dims)-2], 1
	for _, d := range dims {
		all *= d
	}
	index, views := make([]int32, all), make([]float32, all*augment.NumParams)
	for i := range index {
		augment.IdentityParams(views[i*augment.NumParams : (i+1)*augment.NumParams])
	}
	for i, from := range slices.Collect(slices.Chunk(batch.Index, group)) {
		copy(index[i*room:], from)
		if batch.Views != nil { // else the images are not augmented
			copy(views[i*room*augment.NumParams:], batch.Views[i*group*augment.NumParams:][:group*augment.NumParams])
		}
	}
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(index, dims...),
		tensors.FromFlatDataAndDimensions(views, len(index), augment.NumParams),
	}
	defer engine.Free(in...)
	out, err := r.render.Call(append([]*tensors.Tensor{r.pool}, in...)...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// onDevice returns the points [B,N,D] of a batch that stays on the device, and nil for other batches.
func onDevice(batch *data.Batch) *tensors.Tensor {
	there, _ := batch.Device.(*tensors.Tensor)
	return there
}
