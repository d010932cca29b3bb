package clustering

import (
	"context"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// prepareImages is for networks that were trained on images: pixels x [N,784] in 0..1 become the −1..1 that networks
// read. There is nothing to centre or to scale.
func prepareImages(_ context.Context, p *prepared, _ *models.Network, _ data.Config, x []float32, factor float64) error {
	if factor != 0 && factor != 1 {
		return usererr.New("leave it out: pixels are always 0..1", "Scale = %g has no meaning for images", factor)
	}
	for i, v := range x {
		if v < 0 || v > 1 {
			return usererr.New("divide pixels of 0..255 by 255", "pixel %d of image %d is %v, but pixels are 0..1", i%p.d+1, i/p.d+1, v)
		}
	}
	copy(p.x, x)
	data.NetworkUnits(p.x)
	if border := meanBorder(x, models.ImageSide); border > invertedAbove {
		p.warn("the images' borders are bright (mean %.2f), but the model expects bright strokes on a dark background: "+
			"they may be inverted", border)
	}
	return nil
}

// invertedAbove is the mean border pixel above which images look inverted.
const invertedAbove = 0.5

// meanBorder returns the mean of the border pixels of square images x [N, side·side].
func meanBorder(x []float32, side int) float64 {
	sum, pixels := 0.0, 0
	for i, v := range x {
		row, column := i/side%side, i%side
		if row == 0 || row == side-1 || column == 0 || column == side-1 {
			sum += float64(v)
			pixels++
		}
	}
	return sum / float64(pixels)
}
