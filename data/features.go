package data

import (
	"fmt"

	"github.com/gfncp/gfncp/data/augment"
)

// FeatureDim is D of the feature sets: the width of DINO ViT-S/16.
const FeatureDim = 384

// featureFactor brings vectors of length 1 in FeatureDim dimensions to a scale that networks like: a coordinate then
// has the root mean square 20/√384 = 1.02.
const featureFactor = 20

// classPoints is how many images a class of ImageNet's validation set has: test sets of features hold no more points,
// because the points of a cluster are drawn from one class.
const classPoints = 50

// imageNet are subsets of ImageNet (Deng et al. 2009) as features of DINO (Caron et al. 2021, arXiv:2104.14294), which
// the user supplies; standins are computed in their place. Vectors have length 1, and one half of the classes is in
// each split.
var (
	imageNet = []Descriptor{imageNetSubset("in50", 50), imageNetSubset("in100", 100), imageNetSubset("in200", 200)}
	standins = []Descriptor{standinFor(imageNet[0]), standinFor(imageNet[1]), standinFor(imageNet[2])}
)

func imageNetSubset(name string, classes int) Descriptor {
	return Descriptor{
		Name: name, Aliases: []string{}, Title: fmt.Sprintf("ImageNet-%d, DINO ViT-S/16 features", classes), Licence: "ImageNet terms",
		Home: "https://www.image-net.org/", Folder: "imagenet", Dim: FeatureDim, TrainClasses: classes / 2, TestClasses: classes / 2,
		Classes: []string{}, Shape: Vectors, Alpha: 1, Factor: featureFactor, NMin: 20, NMax: classPoints, TestPoints: classPoints,
	}
}

// standinFor describes the stand-in for a subset, "standin50" for "in50".
func standinFor(d Descriptor) Descriptor {
	d.StandsFor, d.Name, d.Synthetic, d.Make = d.Name, "stand"+d.Name, true, standin
	d.Title = fmt.Sprintf("Synthetic stand-in for ImageNet-%d features", d.TrainClasses+d.TestClasses)
	d.Licence, d.Home, d.Folder = "none needed", "computed, no ImageNet data", ""
	d.Train, d.Test = d.TrainClasses*standinPoints, d.TestClasses*standinPoints
	return d
}

// Default returns the paper's training settings on a source, by the properties of its descriptor: of mixtures
// DefaultMoG. On all others it is instance discrimination on the training split, α = 1, N from 100 to 1000. A user's
// own file counts as images here, and has a Path, which is left to be set; see DefaultVectors. Of an unknown source
// Validate reports the name.
//
// Of vectors of length 1 N is 20 to 50: a class of ImageNet's validation set has 50 images, and the published code
// uses no larger sets. Factor is 20 and Vectors.Noise, which counts in units after Factor, 20·0.05 = 1. The paper does
// not say how long its vectors are. That its noise means vectors of length 1 is an assumption: there it is about as
// large as a coordinate, 1/√384 = 0.051.
func Default(source string) Config {
	d, _ := FindSource(source)
	c := DefaultMoG()
	if d.Shape == Mixtures {
		return c
	}
	c.Source, c.SigmaMu, c.SigmaX = source, 0, 0
	c.AlphaMin, c.AlphaMax, c.Mode = 1, 1, ModeInstance
	if d.Name != "" {
		c.Source = d.Name // of an alias
	}
	if d.HasSplits() {
		c.Split = SplitTrain
	}
	if d.Shape != Vectors {
		c.Dim, c.Images = imagePixels, augment.DefaultImages()
		return c
	}
	if d.NMin > 0 {
		c.NMin, c.NMax = d.NMin, d.NMax
	}
	c.Dim, c.Factor, c.Vectors = d.Dim, d.Factor, augment.DefaultVectors()
	c.Vectors.Noise *= d.Factor
	return c
}
