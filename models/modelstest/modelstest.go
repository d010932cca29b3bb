// Package modelstest draws weights for tests.
package modelstest

import (
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/models"
)

// Weights draws the weights of a layout, times a factor: as drawn, all energies are nearly equal, and rounding decides.
func Weights(layout models.Params, rng *rand.Rand, factor float32) models.Params {
	ps := slices.Clone(layout).Init(rng)
	for _, p := range ps {
		for i := range p.Data {
			p.Data[i] *= factor
		}
	}
	return ps
}
