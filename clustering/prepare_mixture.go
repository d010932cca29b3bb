package clustering

import (
	"context"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// prepareMixture is for networks that were trained on mixtures of Gaussians: points are centred and brought to the scale
// of training sets, and compared with such sets.
func prepareMixture(
	ctx context.Context, p *prepared, net *models.Network, known data.Config, x []float32, factor float64,
) error {
	ref, err := newReference(known, p.n)
	if err != nil {
		return err
	}
	z := p.centre(x)
	size := ref.measure(z, p.n, p.d)
	p.factor = factor
	if factor == 0 {
		if p.factor, err = autoFactor(ctx, net, known, ref, size, z, p.n, p.d); err != nil {
			return err
		}
	}
	if err := p.multiply(z); err != nil {
		return err
	}
	p.warnSpread(size, ref)
	return nil
}

// autoFactor returns what to multiply the centred points z [n,d] by: 1 if they are as spread out as training sets, else
// the factor at which the network and its training distribution explain them best, near the one that distances suggest.
func autoFactor(
	ctx context.Context, net *models.Network, known data.Config, ref *reference, size spread, z []float64, n, d int,
) (float64, error) {
	guess := ref.factor(size)
	if guess == 1 || size.local == 0 {
		return guess, nil
	}
	return bestFactor(ctx, net, known, z, n, d, guess)
}
