package clustering

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// input is n points x [n,d] for a network, and the range that it was trained on.
type input struct {
	net   *models.Network
	known data.Config
	x     []float32
	n, d  int
}

// noun returns the word for a point of the training's sets: point or image.
func (in input) noun() string {
	if in.known.IsImages() {
		return "image"
	}
	return "point"
}

// prepared is a user's set as the network gets it; units makes x of the input.
type prepared struct {
	input
	center   []float32 // [D] the coordinate-wise median of the input; images: empty
	factor   float64
	warnings []string // never nil, so that JSON shows a list
}

// prepare checks the points and returns a copy as the network reads them, with warnings if they are unlike its sets.
func (in input) prepare(scale float64) (*prepared, error) {
	if err := in.checkPoints(); err != nil {
		return nil, err
	}
	p := &prepared{input: in, center: []float32{}, factor: cmp.Or(scale, 1), warnings: []string{}}
	p.warnCount()
	choose := p.mixture
	switch {
	case in.known.IsImages():
		choose = p.images
	case in.known.IsVectors():
		choose = p.vectors
	}
	if err := choose(scale); err != nil {
		return nil, err
	}
	return p, p.units("use a smaller scale, or the automatic one")
}

// units replaces x by (x − center) · factor, or 2x − 1 for images. The hint is the remedy for a product that is too
// large.
func (p *prepared) units(hint string) error {
	p.x = slices.Clone(p.x)
	if p.known.IsImages() {
		data.NetworkUnits(p.x)
		return nil
	}
	for i, v := range p.x {
		p.x[i] = float32((float64(v) - float64(p.center[i%p.d])) * p.factor) // only this rounds
		if math.IsInf(float64(p.x[i]), 0) {
			return usererr.New(hint, "point %d is out of the range of 32-bit numbers once multiplied by the scale %g",
				i/p.d+1, p.factor)
		}
	}
	return nil
}

// images refuses a factor. There is nothing to centre or to scale.
func (p *prepared) images(factor float64) error {
	if factor != 0 && factor != 1 {
		return usererr.Option("Scale", "leave it out: pixels are always 0..1", "%g has no meaning for images", factor)
	}
	border := meanBorder(p.x, models.ImageSide)
	p.warn(border > invertedAbove, "the images' borders are bright (mean %.2f), but the model expects bright strokes "+
		"on a dark background: they may be inverted", border)
	return nil
}

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

// vectors chooses the factor of the training, so that a unit means the same as there.
func (p *prepared) vectors(factor float64) error {
	p.factor = cmp.Or(factor, p.known.Factor)
	p.warnEqual(!slices.ContainsFunc(p.centre(), func(v float64) bool { return v != 0 }))
	return nil
}

// mixture scales points unless they are as spread out as the training sets, and compares them with these.
func (p *prepared) mixture(factor float64) error {
	ref, err := newReference(p.known, p.n)
	if err != nil {
		return err
	}
	size := ref.measure(p.centre(), p.n, p.d)
	if factor == 0 {
		p.factor = ref.factor(size)
	}
	p.warnSpread(size, ref)
	return nil
}

// centre finds the center, and returns the centred points in float64.
func (p *prepared) centre() []float64 {
	p.center = data.MedianCenter(slices.Clone(p.x), p.n, p.d)
	z := make([]float64, len(p.x))
	for i, v := range p.x {
		z[i] = float64(v) - float64(p.center[i%p.d])
	}
	return z
}

// checkPoints returns an error for a set that the model cannot cluster.
func (in input) checkPoints() error {
	return cmp.Or(in.checkCoordinates(), checkMany(in.n))
}

func checkMany(n int) error {
	if n < 2 {
		return usererr.New("give at least 2 points", "there is nothing to cluster in %s", text.Count(n, "point"))
	}
	return nil
}

// checkCoordinates returns an error for points that the model cannot read, whatever their number.
func (in input) checkCoordinates() error {
	known, n, d := in.known, in.n, in.d
	switch want := in.net.Config.Dim; {
	case known.Dim != want:
		return fmt.Errorf("the network takes %d coordinates, but its training range describes %d", want, known.Dim)
	case d != want && known.IsImages():
		return usererr.New("give images, or name another model",
			"the points have %s, but this model reads images of 28×28 pixels, which have %d",
			text.Count(d, "coordinate"), want)
	case d != want:
		return usererr.New("choose as many columns, name another model, or train one on such points",
			"the points have %s, but this model takes %d", text.Count(d, "coordinate"), want)
	}
	if len(in.x) != n*d {
		return fmt.Errorf("%d values for %d points in %d dimensions, want %d", len(in.x), n, d, n*d)
	}
	for i, v := range in.x {
		if !metrics.IsFinite(v) {
			return usererr.New("mend or leave out this point", "coordinate %d of point %d is %v", i%d+1, i/d+1, v)
		}
		if known.IsImages() && (v < 0 || v > 1) {
			return usererr.New("divide pixels of 0..255 by 255", "pixel %d of image %d is %v, but pixels are 0..1",
				i%d+1, i/d+1, v)
		}
	}
	return nil
}

// warn adds a warning if there is a doubt. It names the value and the range that the model was trained on.
func (p *prepared) warn(doubt bool, format string, args ...any) {
	if doubt {
		p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
	}
}

func (p *prepared) warnCount() {
	least, most := p.known.NMin, p.known.NMax
	p.warn(p.n < least || p.n > most, "there are %s, but the model was trained on sets of %s",
		text.Count(p.n, p.noun()), interval(least, most))
}

func (p *prepared) warnEqual(equal bool) {
	p.warn(equal, "all %d points are equal, so no scale can be found and the clusters mean little", p.n)
}

// warnSpread warns if the scaled points are tighter, wider or farther out than every measured training set.
func (p *prepared) warnSpread(size spread, ref *reference) {
	if p.warnEqual(size.reach == 0); size.reach == 0 {
		return
	}
	last := len(ref.local) - 1
	check := func(what string, value, low, high float64) {
		value *= p.factor
		p.warn(value < low || value > high, "%s is %.3g after scaling, but %.3g to %.3g in the training sets", what,
			value, low, high)
	}
	check("the distance to near neighbours", size.local, ref.local[0], ref.local[last])
	check("the spread of the coordinates (root mean square)", size.global, ref.global[0], ref.global[last])
	far := size.reach * p.factor
	p.warn(far > ref.reach[last], "the farthest point is %.3g from the center after scaling, but at most %.3g in the "+
		"training sets", far, ref.reach[last])
}

// warnClusters warns of a number of clusters that hardly ever occurs in training sets. whose begins the warning.
func (p *prepared) warnClusters(whose string, k int) {
	low, high := clusterRange(p.known)
	p.warn(k < low || k > high, "%s %s, but the model was trained on sets of %s", whose, text.Count(k, "cluster"),
		interval(low, high))
}

// clusterRange returns the numbers of clusters that training sets have. Of an open upper end it leaves out numbers
// whose probability at the largest N and α is below 0.001.
func clusterRange(known data.Config) (low, high int) {
	switch {
	case known.FixedK > 0:
		return known.FixedK, known.FixedK
	case known.MaxK > 0:
		return known.MinK, known.MaxK
	}
	law, _ := posterior.CRP{Alpha: known.AlphaMax, MinK: known.MinK}.KLaw(known.NMax)
	for _, k := range law {
		if k.P >= 0.001 {
			high = k.K
		}
	}
	return known.MinK, high
}

func interval(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// kPrior returns a network's prior P(K) for in.n points, nil if K is fixed or the prior allows no K for so few points.
func (in input) kPrior() []posterior.KProb {
	c := in.known
	if c.FixedK > 0 {
		return nil
	}
	prior := posterior.CRP{Alpha: c.AlphaMin, AlphaMax: c.AlphaMax, MinK: c.MinK, MaxK: c.MaxK}
	law, _ := prior.KLaw(in.n) // fails if the range of K asks for more points
	return law
}
