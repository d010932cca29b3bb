package clustering

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// prepared is a user's set as the network gets it.
type prepared struct {
	x        []float32 // [N,D] (input − center) · factor
	n, d     int
	center   []float32 // [D] the coordinate-wise median of the input
	factor   float64
	warnings []string // never nil, so that JSON shows a list
}

// prepare checks, centres and scales the points x [n,d], which stay as they are.
func prepare(net *models.Network, known data.MoGConfig, x []float32, n, d int, scale string) (*prepared, error) {
	if err := checkPoints(net, known, x, n, d); err != nil {
		return nil, err
	}
	fixed, err := parseScale(scale)
	if err != nil {
		return nil, err
	}
	ref, err := newReference(known, n)
	if err != nil {
		return nil, err
	}
	p := &prepared{x: make([]float32, n*d), n: n, d: d, factor: fixed, warnings: []string{}}
	copy(p.x, x)
	p.center = data.MedianCenter(p.x, n, d)
	z := make([]float64, n*d) // centred again in float64: one rounding, after the factor
	for i, v := range x {
		z[i] = float64(v) - float64(p.center[i%d])
	}
	size := ref.measure(z, n, d)
	if fixed == 0 {
		if p.factor, err = autoFactor(net, known, ref, size, z, n, d); err != nil {
			return nil, err
		}
	}
	for i, v := range z {
		p.x[i] = float32(v * p.factor)
		if math.IsInf(float64(p.x[i]), 0) {
			return nil, usererr.New("use a smaller --scale, or auto",
				"point %d is out of the range of 32-bit numbers once multiplied by the scale %g", i/d+1, p.factor)
		}
	}
	p.warnCount(known)
	p.warnSpread(size, ref)
	return p, nil
}

// autoFactor returns what to multiply the centred points z [n,d] by: 1 if they are as spread out as training sets, else
// the factor at which the network and its training distribution explain them best, near the one that distances suggest.
func autoFactor(net *models.Network, known data.MoGConfig, ref *reference, size spread, z []float64, n, d int) (float64, error) {
	guess := ref.factor(size)
	if guess == 1 || size.local == 0 {
		return guess, nil
	}
	return bestFactor(net, known, z, n, d, guess)
}

// checkPoints refuses sets that no model, or not this one, can take.
func checkPoints(net *models.Network, known data.MoGConfig, x []float32, n, d int) error {
	switch want := net.Config.Dim; {
	case known.Dim != want:
		return fmt.Errorf("the network takes %d coordinates, but its training range describes %d", want, known.Dim)
	case d != want:
		return usererr.New(fmt.Sprintf("choose %s with --columns, or another model with --model", count(want, "column")),
			"the points have %s, but this model takes %d", count(d, "coordinate"), want)
	case n < 2:
		return usererr.New("give at least 2 points", "there is nothing to cluster in %s", count(n, "point"))
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
		return 0, usererr.New("use auto, none or a factor above 0", "--scale %q is unknown", scale)
	}
	return f, nil
}

// count returns "1 point", "2 points" and so on.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
