package evaluation

import (
	"context"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// Evaluator measures one network in several ways. It embeds the images of a pool once for all of them, so the network
// must keep its weights. It is not safe for concurrent use.
type Evaluator struct {
	net  *models.Network
	pool *data.Pool // whose images are embedded
	h, u []float32  // [M,H] of them
}

// NewEvaluator returns an evaluator of a network.
func NewEvaluator(net *models.Network) *Evaluator { return &Evaluator{net: net} }

// Quality scores the network on the first sets of a source: greedy decoding, and the energies along the true labels.
func (e *Evaluator) Quality(ctx context.Context, source data.Source, seed uint64, sets int) (Quality, error) {
	r, err := e.reader(source, seed, sets)
	if err != nil {
		return Quality{}, fmt.Errorf("evaluate: %w", err)
	}
	return r.mean(ctx, seed, sets, func(group []embedded) ([]Quality, error) { return qualities(e.net, group) })
}

// embed returns h' and u' of a pool's images.
func (e *Evaluator) embed(pool *data.Pool) (h, u []float32, err error) {
	if e.pool != pool {
		x := slices.Clone(pool.X)
		data.NetworkUnits(x)
		if e.h, e.u, err = e.net.Encode(x, 1); err != nil {
			return nil, nil, err
		}
		e.pool = pool
	}
	return e.h, e.u, nil
}
