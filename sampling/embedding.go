package sampling

import (
	"context"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/models"
)

// embeddedAtOnce is the number of points, at least a set's, after which an embedding looks whether its context has
// ended.
const embeddedAtOnce = 4096

// embedding holds h' [B,N,W] and u' [B,N,V] of all points on the host, and Σ u' of each set [B,V].
type embedding struct {
	h, u  []float32
	ahead []float64
}

// newSets returns sets that are embedded on the host when a loop asks for it first.
func newSets(
	ctx context.Context, net *models.Network, b, n int, embed func() (h, u []float32, err error),
) *Sets {
	onHost := func() (embedding, error) {
		h, u, err := embed()
		if err != nil {
			return embedding{}, err
		}
		return embedding{h, u, totals(u, b, net.Config.StateWidth())}, nil
	}
	return &Sets{Net: net, B: b, N: n, ctx: ctx, onHost: sync.OnceValues(onHost)}
}

// totals adds u' [B,N,V] up in each set, in float64: [B,V].
func totals(u []float32, b, width int) []float64 {
	sums := make([]float64, b*width)
	of := len(u) / b // values of a set
	for i, v := range u {
		sums[i/of*width+i%width] += float64(v)
	}
	return sums
}

// embed encodes points x [B,N,D] some at a time, so that ctx can end it.
func embed(ctx context.Context, net *models.Network, x []float32, b, n int) (h, u []float32, err error) {
	c := net.Config
	points := max(embeddedAtOnce/n, 1) * n
	encode := func(sets []float32) ([]float32, []float32, error) { return net.Encode(sets, n) }
	if b == 1 {
		points = embeddedAtOnce
		encode = func(some []float32) ([]float32, []float32, error) { return net.EncodeSome(some, x) }
	}
	h, u = make([]float32, 0, b*n*c.Width()), make([]float32, 0, b*n*c.StateWidth())
	for chunk := range slices.Chunk(x, points*c.Dim) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		someH, someU, err := encode(chunk)
		if err != nil {
			return nil, nil, err
		}
		h, u = append(h, someH...), append(u, someU...)
	}
	return h, u, nil
}
