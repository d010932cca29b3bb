package experiments

import (
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// reader draws test sets and embeds their points. Images are drawn from a pool again and again: each is embedded once, and
// then gathered by its index.
type reader struct {
	net    *models.Network
	source data.Source
	pools  *data.PoolSource // nil: the points of a set are embedded with it
	h, u   []float32        // [M,H] of the pool
}

func newReader(net *models.Network, source data.Source) (*reader, error) {
	r := &reader{net: net, source: source}
	pools, ok := source.(*data.PoolSource)
	if !ok || !pools.Pool().IsImages() || pools.Augments() {
		return r, nil
	}
	r.pools = pools
	x := append([]float32{}, pools.Pool().X...)
	data.NetworkUnits(x)
	var err error
	r.h, r.u, err = net.Encode(x)
	return r, err
}

// embedded is a batch with h' and u' [B,N,H] of its points; X is not filled for images.
type embedded struct {
	*data.Batch
	h, u []float32
}

// batch returns the first sets of a step.
func (r *reader) batch(seed uint64, step, sets int) (e embedded, err error) {
	if r.pools != nil {
		e.Batch, err = r.pools.Draft(seed, step)
	} else {
		e.Batch, err = r.source.Batch(seed, step)
	}
	if err != nil {
		return e, err
	}
	if sets < e.B {
		e.Batch = e.Slice(0, sets)
	}
	if r.pools == nil {
		e.h, e.u, err = r.net.Encode(e.X)
		return e, err
	}
	width := r.net.Config.Hidden
	for _, index := range e.Index {
		at := int(index) * width
		e.h = append(e.h, r.h[at:at+width]...)
		e.u = append(e.u, r.u[at:at+width]...)
	}
	return e, nil
}
