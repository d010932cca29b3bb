package evaluation

import (
	"context"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// Judge measures one network in several ways. It embeds the images of a pool once for all of them, so the network must
// keep its weights. It is not safe for concurrent use.
type Judge struct {
	net  *models.Network
	pool *data.Pool // whose images are embedded
	h, u []float32  // [M,H] of them
}

// NewJudge returns a judge of a network.
func NewJudge(net *models.Network) *Judge { return &Judge{net: net} }

// Quality scores the network on the first sets of a source: greedy decoding, and the energies along the true labels.
func (j *Judge) Quality(ctx context.Context, source data.Source, seed uint64, sets int) (Quality, error) {
	r, err := j.reader(source, seed, sets)
	if err != nil {
		return Quality{}, fmt.Errorf("evaluate: %w", err)
	}
	return r.mean(ctx, seed, sets, func(group []embedded) ([]Quality, error) { return qualities(j.net, group) })
}

// embed returns h' and u' of a pool's images.
func (j *Judge) embed(pool *data.Pool) (h, u []float32, err error) {
	if j.pool != pool {
		x := slices.Clone(pool.X)
		data.NetworkUnits(x)
		if j.h, j.u, err = j.net.Encode(x, 1); err != nil {
			return nil, nil, err
		}
		j.pool = pool
	}
	return j.h, j.u, nil
}
