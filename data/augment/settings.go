// Package augment makes the views of instance discrimination: random changes of a point that keep its identity.
//
// All randomness of one image is drawn first, into a vector of NumParams numbers (Images.Draw). Renderer follows it.
// Which points are augmented belongs to package data.
package augment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Images holds the settings of the augmentation of grey images. One image passes these steps, each with new random
// numbers:
//
//  1. random resized crop: a box of scale·H·W pixels is blown up to the whole image;
//  2. rotation about the centre of the output, zero fill outside of the crop frame;
//  3. with probability JitterProb brightness x ← clip(b·x), then contrast x ← clip(c·(x − m) + m) with m the mean of x;
//  4. with probability BlurProb a Gaussian blur of 3×3 taps, the image mirrored at its edges;
//  5. from 0..1 to −1..1.
//
// Steps 1 and 2 are one resampling with the bicubic kernel of Keys (1981), a = −1/2, as in PIL; its values are clipped
// to 0..1, and taps outside of the image repeat the image's edge. The fill of step 2 comes after step 3, as in the
// published order (crop, jitter, rotation, blur).
//
// It differs from torchvision's transforms of the same names: box and taps are not rounded to pixels, and taps may read
// the image beyond the box; a box that does not fit is cut at once, not drawn again; rotation interpolates bicubically;
// brightness always comes before contrast; m counts all rotated pixels, not the crop's; the aspect ratio is relative to
// the image's own. The last four fields follow the published code in some of these points.
type Images struct {
	// ScaleMin and ScaleMax bound the box's share of the image's area, drawn uniformly; 0 < ScaleMin ≤ ScaleMax ≤ 1.
	ScaleMin float64 `toml:"scale_min" json:"scale_min"`
	ScaleMax float64 `toml:"scale_max" json:"scale_max"`
	// RatioMin and RatioMax bound the box's aspect ratio, width by height, relative to the image's; its logarithm is
	// uniform; 0 < RatioMin ≤ RatioMax.
	RatioMin float64 `toml:"ratio_min" json:"ratio_min"`
	RatioMax float64 `toml:"ratio_max" json:"ratio_max"`
	// Rotation is the largest angle in degrees, 0 to 180; the angle is uniform in ±Rotation.
	Rotation float64 `toml:"rotation" json:"rotation"`
	// JitterProb is the probability of step 3, 0 to 1.
	JitterProb float64 `toml:"jitter_prob" json:"jitter_prob"`
	// Jitter is the half width of the factors' range, 0 to 1: b and c are uniform in 1 ± Jitter.
	Jitter float64 `toml:"jitter" json:"jitter"`
	// BlurProb is the probability of step 4, 0 to 1.
	BlurProb float64 `toml:"blur_prob" json:"blur_prob"`
	// BlurMin and BlurMax bound the blur's standard deviation σ in pixels, drawn uniformly; 0 < BlurMin ≤ BlurMax.
	BlurMin float64 `toml:"blur_min" json:"blur_min"`
	BlurMax float64 `toml:"blur_max" json:"blur_max"`

	// Settings of the published code where it differs from the paper's text. Rendering reads the first three, and no
	// other field.

	// Wrap reads grey level p of 0..255 as (2p − 255) mod 256: the published code converts an image in −1..1 to bytes
	// before it augments it.
	Wrap bool `toml:"wrap,omitempty" json:"wrap,omitempty"`
	// NearestTurn resamples the crop to pixels first and rotates it by nearest-neighbour interpolation.
	NearestTurn bool `toml:"nearest_turn,omitempty" json:"nearest_turn,omitempty"`
	// WideBlur blurs by a Gaussian of standard deviation σ on 13 taps an axis, the image's edge repeated, in place of
	// 3 taps.
	WideBlur bool `toml:"wide_blur,omitempty" json:"wide_blur,omitempty"`
	// RedrawBox rounds the box to whole pixels of an image of PixelSide a side. A box that does not fit is drawn again,
	// up to ten times, and then is the whole image.
	RedrawBox bool `toml:"redraw_box,omitempty" json:"redraw_box,omitempty"`
}

// PixelSide is the side of the images whose boxes RedrawBox rounds: MNIST and Fashion-MNIST.
const PixelSide = 28

// PublishedImages returns DefaultImages with the rendering and the crop boxes of the published code.
func PublishedImages() Images {
	o := DefaultImages()
	o.Wrap, o.NearestTurn, o.WideBlur, o.RedrawBox = true, true, true, true
	return o
}

// DefaultImages returns the paper's settings for MNIST and Fashion-MNIST. Aspect ratio and σ, which the paper does not
// give, are torchvision's default (3/4 to 4/3) and SimCLR's (0.1 to 2).
func DefaultImages() Images {
	return Images{
		ScaleMin: 0.7, ScaleMax: 1, RatioMin: 3.0 / 4, RatioMax: 4.0 / 3, Rotation: 30,
		JitterProb: 0.8, Jitter: 0.4, BlurProb: 0.1, BlurMin: 0.1, BlurMax: 2,
	}
}

// Validate returns nil, or all faults at once, joined: one *usererr.Error each, with key, value and bound.
func (o Images) Validate() error {
	var faults usererr.Faults
	faults.Demand(o.ScaleMin > 0 && o.ScaleMin <= 1, "data.images.scale_min", o.ScaleMin,
		"a number above 0 and at most 1")
	faults.Demand(o.ScaleMax >= o.ScaleMin && o.ScaleMax <= 1, "data.images.scale_max", o.ScaleMax,
		fmt.Sprintf("a number from data.images.scale_min = %g to 1", o.ScaleMin))
	faults.Demand(o.RatioMin > 0 && !math.IsInf(o.RatioMin, 0), "data.images.ratio_min", o.RatioMin,
		"a finite number above 0")
	faults.Demand(o.RatioMax >= o.RatioMin && !math.IsInf(o.RatioMax, 0), "data.images.ratio_max", o.RatioMax,
		fmt.Sprintf("a finite number of at least data.images.ratio_min = %g", o.RatioMin))
	faults.Demand(o.Rotation >= 0 && o.Rotation <= 180, "data.images.rotation", o.Rotation, "degrees from 0 to 180")
	faults.Demand(probability(o.JitterProb), "data.images.jitter_prob", o.JitterProb, "a probability from 0 to 1")
	faults.Demand(probability(o.Jitter), "data.images.jitter", o.Jitter, "a number from 0 to 1")
	faults.Demand(probability(o.BlurProb), "data.images.blur_prob", o.BlurProb, "a probability from 0 to 1")
	faults.Demand(o.BlurMin > 0 && !math.IsInf(o.BlurMin, 0), "data.images.blur_min", o.BlurMin,
		"a finite number of pixels above 0")
	faults.Demand(o.BlurMax >= o.BlurMin && !math.IsInf(o.BlurMax, 0), "data.images.blur_max", o.BlurMax,
		fmt.Sprintf("a finite number of at least data.images.blur_min = %g", o.BlurMin))
	return errors.Join(faults...)
}

// The indices of the parameters of one augmentation; see NumParams.
const (
	paramLeft = iota
	paramTop
	paramWidth
	paramHeight
	paramCos
	paramSin
	paramBrightness
	paramContrast
	paramBlur
	// NumParams is the number of parameters of one augmented image: the crop box's left, top, width and height as
	// shares of the image's sides; cosine and sine of the angle, counter-clockwise; the factors b and c of brightness
	// and contrast (1 = off); and the weight of the blur's outer taps, e/(1 + 2e) with e = exp(−1/(2σ²)), or for
	// WideBlur σ in pixels (0 = off). They do not depend on the image's size.
	NumParams
)

// IdentityParams sets params [NumParams] to values that leave an image unchanged, except for the scaling to −1..1.
func IdentityParams(params []float32) {
	copy(params[:NumParams], []float32{
		paramWidth: 1, paramHeight: 1, paramCos: 1, paramBrightness: 1, paramContrast: 1, paramBlur: 0,
	})
}

// Draw draws the parameters of one augmented image into params [NumParams]. The number of values that it takes from rng
// depends on no setting but RedrawBox, so that a changed setting does not shift the other draws.
func (o Images) Draw(rng *rand.Rand, params []float32) {
	IdentityParams(params)
	left, top, width, height := o.box(rng)
	if o.RedrawBox {
		left, top, width, height = o.pixelBox(rng)
	}
	params[paramLeft], params[paramTop] = float32(left), float32(top)
	params[paramWidth], params[paramHeight] = float32(width), float32(height)

	sin, cos := math.Sincos(uniform(rng, -o.Rotation, o.Rotation) * math.Pi / 180)
	params[paramCos], params[paramSin] = float32(cos), float32(sin)

	jitter := rng.Float64() < o.JitterProb
	brightness, contrast := uniform(rng, 1-o.Jitter, 1+o.Jitter), uniform(rng, 1-o.Jitter, 1+o.Jitter)
	if jitter {
		params[paramBrightness], params[paramContrast] = float32(brightness), float32(contrast)
	}
	blur := rng.Float64() < o.BlurProb
	if sigma := uniform(rng, o.BlurMin, o.BlurMax); blur {
		params[paramBlur] = float32(outerTap(sigma))
		if o.WideBlur {
			params[paramBlur] = float32(sigma)
		}
	}
}

// boxSides draws the sides of a crop box, as shares of the image's, before it is cut to fit.
func (o Images) boxSides(rng *rand.Rand) (width, height float64) {
	scale := uniform(rng, o.ScaleMin, o.ScaleMax)
	ratio := math.Exp(uniform(rng, math.Log(o.RatioMin), math.Log(o.RatioMax)))
	return math.Sqrt(scale * ratio), math.Sqrt(scale / ratio)
}

// box draws a crop box as shares of the image's sides.
func (o Images) box(rng *rand.Rand) (left, top, width, height float64) {
	width, height = o.boxSides(rng)
	width, height = min(1, width), min(1, height)
	left = uniform(rng, 0, 1-width)
	return left, uniform(rng, 0, 1-height), width, height
}

// boxTries is the number of boxes that pixelBox draws, as in torchvision.
const boxTries = 10

// pixelBox draws a crop box of whole pixels, as shares of the image's sides; see RedrawBox.
func (o Images) pixelBox(rng *rand.Rand) (left, top, width, height float64) {
	wide, high, fits := 0, 0, false
	for range boxTries {
		w, h := o.boxSides(rng)
		if fits {
			continue
		}
		wide, high = int(math.RoundToEven(w*PixelSide)), int(math.RoundToEven(h*PixelSide))
		fits = wide >= 1 && high >= 1 && wide <= PixelSide && high <= PixelSide
	}
	if !fits {
		wide, high = PixelSide, PixelSide
	}
	at := func(side int) float64 { return math.Floor(uniform(rng, 0, float64(PixelSide-side+1))) / PixelSide }
	left = at(wide)
	return left, at(high), float64(wide) / PixelSide, float64(high) / PixelSide
}

func uniform(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// outerTap is the weight of each outer tap of a 3-tap Gaussian of standard deviation sigma whose weights sum to 1.
func outerTap(sigma float64) float64 {
	e := math.Exp(-1 / (2 * sigma * sigma))
	return e / (1 + 2*e)
}

func probability(p float64) bool { return p >= 0 && p <= 1 }

// Vectors holds the settings of the augmentation of feature vectors: Gaussian noise, then feature dropout.
type Vectors struct {
	// Noise is the standard deviation of the noise added to every feature, in the features' unit, at least 0.
	Noise float64 `toml:"noise" json:"noise"`
	// Dropout is the probability with which a feature is set to 0, from 0 to below 1. The features that stay are not
	// rescaled: they are inputs, not activations whose mean has to be kept.
	Dropout float64 `toml:"dropout" json:"dropout"`
}

// DefaultVectors returns the paper's settings for ImageNet features: noise of standard deviation 0.05, dropout 0.2.
func DefaultVectors() Vectors { return Vectors{Noise: 0.05, Dropout: 0.2} }

// Validate returns nil, or all faults at once, joined: one *usererr.Error each, with key, value and bound.
func (o Vectors) Validate() error {
	var faults usererr.Faults
	faults.Demand(o.Noise >= 0 && !math.IsInf(o.Noise, 0), "data.vectors.noise", o.Noise,
		"a finite number of at least 0")
	faults.Demand(o.Dropout >= 0 && o.Dropout < 1, "data.vectors.dropout", o.Dropout,
		"a probability of at least 0 and below 1")
	return errors.Join(faults...)
}

// Apply writes an augmentation of src [D] to dst [D], which may be src itself:
//
//	dst_d = (src_d + Noise·ε_d)·m_d,   ε_d ~ N(0,1),   m_d ~ Bernoulli(1 − Dropout)
//
// For each feature it draws first the noise and then the dropout from rng, for all settings.
func (o Vectors) Apply(rng *rand.Rand, dst, src []float32) {
	dst = dst[:len(src)]
	for d, x := range src {
		noisy := x + float32(o.Noise*rng.NormFloat64())
		if rng.Float64() < o.Dropout {
			noisy = 0
		}
		dst[d] = noisy
	}
}
