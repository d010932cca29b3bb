package clustering

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// prepared is a user's set as the network gets it.
type prepared struct {
	x        []float32 // [N,D] (input − center) · factor; images: 2·input − 1
	n, d     int
	noun     string    // what a point is called in warnings
	center   []float32 // [D] the coordinate-wise median of the input; images: empty
	factor   float64
	warnings []string // never nil, so that JSON shows a list
}

// preparation fills in x, center and factor for the networks of one kind of source, and warns of points that look unlike
// those the network was trained on. factor is what the user fixed, 0 for "auto".
type preparation func(
	ctx context.Context, p *prepared, net *models.Network, known data.Config, x []float32, factor float64,
) error

// preparationFor chooses by the source that the network was trained on.
func preparationFor(known data.Config) preparation {
	switch {
	case known.IsImages():
		return prepareImages
	case known.IsVectors():
		return prepareVectors
	}
	return prepareMixture
}

// prepare checks the points x [n,d], which stay as they are, and makes of them what the network reads.
func prepare(
	ctx context.Context, net *models.Network, known data.Config, x []float32, n, d int, scale string,
) (*prepared, error) {
	if err := checkPoints(net, known, x, n, d); err != nil {
		return nil, err
	}
	factor, err := parseScale(scale)
	if err != nil {
		return nil, err
	}
	p := &prepared{x: make([]float32, n*d), n: n, d: d, noun: "point", center: []float32{}, factor: 1, warnings: []string{}}
	if known.IsImages() {
		p.noun = "image"
	}
	p.warnCount(known)
	return p, preparationFor(known)(ctx, p, net, known, x, factor)
}

// centre returns the points x minus their median, in float64, so that the factor's rounding is the only one.
func (p *prepared) centre(x []float32) []float64 {
	copy(p.x, x)
	p.center = data.MedianCenter(p.x, p.n, p.d)
	z := make([]float64, len(x))
	for i, v := range x {
		z[i] = float64(v) - float64(p.center[i%p.d])
	}
	return z
}

// multiply sets x to the centred points z times the factor.
func (p *prepared) multiply(z []float64) error {
	for i, v := range z {
		p.x[i] = float32(v * p.factor)
		if math.IsInf(float64(p.x[i]), 0) {
			return usererr.New("use a smaller Scale, or auto",
				"point %d is out of the range of 32-bit numbers once multiplied by the scale %g", i/p.d+1, p.factor)
		}
	}
	return nil
}

// checkPoints refuses sets that no model, or not this one, can take.
func checkPoints(net *models.Network, known data.Config, x []float32, n, d int) error {
	switch want := net.Config.Dim; {
	case known.Dim != want:
		return fmt.Errorf("the network takes %d coordinates, but its training range describes %d", want, known.Dim)
	case d != want && known.IsImages():
		return usererr.New("give images, or open another model",
			"the points have %s, but this model reads images of 28×28 pixels, which have %d", text.Count(d, "coordinate"), want)
	case d != want:
		return usererr.New("choose as many, open another model, or train one on such points",
			"the points have %s, but this model takes %d", text.Count(d, "coordinate"), want)
	case n < 2:
		return usererr.New("give at least 2 points", "there is nothing to cluster in %s", text.Count(n, "point"))
	case len(x) != n*d:
		return fmt.Errorf("%d values for %d points in %d dimensions, want %d", len(x), n, d, n*d)
	}
	for i, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return usererr.New("mend or leave out this point", "coordinate %d of point %d is %v", i%d+1, i/d+1, v)
		}
	}
	return nil
}

// parseScale returns the factor that a scale option fixes, or 0 for "auto".
func parseScale(scale string) (float64, error) {
	switch scale {
	case "", "auto":
		return 0, nil
	case "none":
		return 1, nil
	}
	f, err := strconv.ParseFloat(scale, 64)
	if err != nil || !(f > 0) || math.IsInf(f, 0) {
		return 0, usererr.New("use auto, none or a factor above 0", "Scale = %q is unknown", scale)
	}
	return f, nil
}
