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

// deviceRenderer augments images on the backend, where the whole pool stays.
type deviceRenderer struct {
	source *data.PoolSource
	pool   *tensors.Tensor // [M,D]
	render *engine.Func
	rows   func(int) int // rounds the number of images up, so that few graphs are compiled
	// room gives the points to which the sets of a batch that stays on the device are padded; nil: it goes to the host.
	room func(b *data.Batch) int
}

func newDeviceRenderer(backend compute.Backend, source *data.PoolSource) (*deviceRenderer, error) {
	pool := source.Pool()
	render, err := engine.NewFunc(backend, "augmentation", func(in []*Node) []*Node {
		dims := slices.Clone(in[1].Shape().Dimensions) // [..., 1]
		images := augment.RenderGraph(Gather(in[0], Reshape(in[1], -1, 1)), in[2], pool.Height, pool.Width)
		dims[len(dims)-1] = pool.D
		return []*Node{Reshape(images, dims...)}
	})
	if err != nil {
		return nil, err
	}
	return &deviceRenderer{
		source: source, pool: tensors.FromFlatDataAndDimensions(pool.X, pool.Len(), pool.D), render: render,
		rows: models.BucketsFor(backend.Name()).Rows,
	}, nil
}

// batch draws and renders the batch of a step.
func (r *deviceRenderer) batch(seed uint64, step int) (*data.Batch, error) {
	batch, err := r.source.Draft(seed, step)
	if err != nil {
		return nil, err
	}
	stays := r.room != nil
	sets, each := 1, len(batch.Index) // runs of images that lie side by side
	dims := []int{r.rows(each), 1}
	if stays {
		sets, each = batch.B, batch.N
		dims = []int{sets, r.room(batch), 1}
	}
	points := dims[len(dims)-2]
	index, views := make([]int32, sets*points), make([]float32, sets*points*augment.NumParams)
	for i := range index {
		augment.IdentityParams(views[i*augment.NumParams : (i+1)*augment.NumParams])
	}
	for i, from := range slices.Collect(slices.Chunk(batch.Index, each)) {
		copy(index[i*points:], from)
		copy(views[i*points*augment.NumParams:], rowsOf(batch.Views, i*each, each))
	}
	images, err := r.call(index, views, dims)
	if err != nil {
		return nil, fmt.Errorf("augment the images of step %d: %w", step, err)
	}
	if stays {
		batch.Device = images
		return batch, nil
	}
	defer engine.Free(images)
	x, err := engine.Float32s(images)
	if err != nil {
		return nil, err
	}
	batch.X = x[:len(batch.Index)*batch.D]
	return batch, nil
}

// rowsOf are the parameters of some images; of images that are not augmented there are none.
func rowsOf(views []float32, from, count int) []float32 {
	if views == nil {
		return nil
	}
	return views[from*augment.NumParams : (from+count)*augment.NumParams]
}

// call renders images of the pool by index [...,1]: [...,D].
func (r *deviceRenderer) call(index []int32, views []float32, dims []int) (*tensors.Tensor, error) {
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

// onDevice are the points [B,N,D] of a batch that stays on the device, nil for any other.
func onDevice(batch *data.Batch) *tensors.Tensor {
	there, _ := batch.Device.(*tensors.Tensor)
	return there
}
