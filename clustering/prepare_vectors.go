package clustering

import (
	"context"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// prepareVectors is for networks that were trained on vectors of a user's file: points are centred and multiplied by the
// factor of that training, so that a unit means the same as there. Sets to compare them with are not at hand.
func prepareVectors(_ context.Context, p *prepared, _ *models.Network, known data.Config, x []float32, factor float64) error {
	z := p.centre(x)
	p.factor = factor
	if factor == 0 {
		p.factor = known.Factor
	}
	if allZero(z) {
		p.warnEqual()
	}
	return p.multiply(z)
}

func allZero(z []float64) bool {
	for _, v := range z {
		if v != 0 {
			return false
		}
	}
	return true
}
