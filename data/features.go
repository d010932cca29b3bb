package data

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gfncp/gfncp/data/augment"
)

// FeatureDim is D of the feature sets: the width of DINO ViT-S/16.
const FeatureDim = 384

// featureFactor scales vectors of length 1 for networks: their coordinates get root mean square 1.02.
const featureFactor = 20

// classPoints is the number of images in a class of ImageNet's validation set. Test sets of features hold no more
// points, because the points of a cluster are drawn from one class.
const classPoints = 50

// imageNet are subsets of ImageNet (Deng et al. 2009) as features of DINO (Caron et al. 2021, arXiv:2104.14294), which
// the user supplies; standins are computed in their place. Each split has one half of the classes.
var (
	imageNet = []Descriptor{imageNetSubset("in50", 50), imageNetSubset("in100", 100), imageNetSubset("in200", 200)}
	standins = []Descriptor{standinFor(imageNet[0]), standinFor(imageNet[1]), standinFor(imageNet[2])}
)

func imageNetSubset(name string, classes int) Descriptor {
	return Descriptor{
		Name: name, Aliases: []string{}, Title: fmt.Sprintf("ImageNet-%d, DINO ViT-S/16 features", classes),
		Licence: "ImageNet terms",
		Home:    "https://www.image-net.org/", Folder: "imagenet", Dim: FeatureDim,
		TrainClasses: classes / 2, TestClasses: classes / 2,
		Classes: []string{}, Shape: Vectors, Alpha: 1, Factor: featureFactor,
		NMin: 20, NMax: classPoints, TestPoints: classPoints,
	}
}

// Standin is the name of the synthetic stand-in for a subset of ImageNet: "standin50" for "in50".
func Standin(name string) string { return "stand" + name }

func standinFor(d Descriptor) Descriptor {
	d.Name, d.Synthetic = Standin(d.Name), true
	d.Derive = func(_, split string) (*Pool, error) { return standin(d, split), nil }
	d.Title = fmt.Sprintf("Synthetic stand-in for ImageNet-%d features", d.TrainClasses+d.TestClasses)
	d.Licence, d.Home, d.Folder = "none needed", "computed, no ImageNet data", ""
	d.Train, d.Test = d.TrainClasses*standinPoints, d.TestClasses*standinPoints
	return d
}

// Default returns the paper's training settings on a source: DefaultMoG, or instance discrimination on the training
// split with α = 1. A user's own file is taken for images here, and the caller sets its Path; see DefaultVectors.
// Validate reports the name of an unknown source.
//
// Vectors of length 1 get N from 20 to 50, as in the published code: a class of ImageNet's validation set has 50
// images. Factor is 20, and Vectors.Noise, which counts in units after it, 20·0.05 = 1. We assume that the paper's
// noise is for vectors of length 1, where it is about as large as a coordinate, 1/√384 = 0.051.
func Default(source string) Config {
	d, _ := FindSource(source)
	c := DefaultMoG()
	if d.Shape == Mixtures {
		return c
	}
	c.Source, c.SigmaMu, c.SigmaX = source, 0, 0
	c.AlphaMin, c.AlphaMax, c.Mode = 1, 1, ModeInstance
	if d.Name != "" {
		c.Source = d.Name // source may be an alias
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

// The numbers of the stand-ins. They are part of the data: a change makes another data set.
const (
	standinSeed   = 50
	standinPoints = 100 // per class
	standinSpread = 1.1 // r: the ratio of a class's spread to the spread of the class means
)

// standin makes a split of the synthetic stand-in for DINO features of ImageNet: half of its classes, 100 points each,
// in 384 dimensions. It is no ImageNet data, and no result on it says anything about ImageNet.
//
//	x = R(m_c + r·e) / |m_c + r·e|,   m_c ~ N(0, diag(j^-1.5)/Σj^-1.5),   e ~ N(0, diag(j^-1)/Σj^-1)
//	j = 1..384,   r = 1.1
//
// The standard deviations of the classes' means fall faster with j: the classes crowd in few dimensions, as breeds of
// dogs do. R is a rotation (see rotate). Vectors have length 1, as DINO features have once they are normalised.
//
// The ratio r was chosen for a task between trivial and hopeless. Measured on the test halves, each point against all
// others of its half (of standin100 every second point, of standin200 every fourth):
//
//	             classes   1 nearest neighbour   5 nearest neighbours
//	standin50      25            87.2 %                 88.2 %
//	standin100     50            83.8 %                 84.8 %
//	standin200    100            78.2 %                 80.5 %
func standin(set Descriptor, split string) *Pool {
	from, to := 0, set.TrainClasses
	if split == SplitTest {
		from, to = set.TrainClasses, set.TrainClasses+set.TestClasses
	}
	p := &Pool{
		Name: set.Name + "/" + split + " (synthetic stand-in)", D: FeatureDim,
		X: make([]float32, 0, (to-from)*standinPoints*FeatureDim),
	}
	signs := standinSigns(set.Name)
	means, deviations := standinSpectra()
	var mean, y [FeatureDim]float64
	for class := from; class < to; class++ {
		rng := Rand(standinSeed, set.Name, class)
		for j := range mean {
			mean[j] = rng.NormFloat64() * means[j]
		}
		for range standinPoints {
			for j := range y {
				// the variable prevents a fused multiply-add, which rounds differently
				deviation := rng.NormFloat64() * deviations[j]
				y[j] = (mean[j] + deviation) * signs[j]
			}
			p.X = appendUnit(p.X, rotate(&y))
			p.Labels = append(p.Labels, int32(class-from))
		}
		p.Classes = append(p.Classes, "class "+strconv.Itoa(class))
	}
	return p
}

// standinSpectra returns the standard deviations of the classes' means, j^-0.75, and of the points around them,
// j^-0.5, scaled so that the squares sum to 1 and r².
func standinSpectra() (means, deviations [FeatureDim]float64) {
	scaled := func(std func(j float64) float64, norm float64) (s [FeatureDim]float64) {
		sum := 0.0
		for i := range s {
			s[i] = std(float64(i + 1))
			sum += float64(s[i] * s[i])
		}
		for i := range s {
			s[i] *= norm / math.Sqrt(sum)
		}
		return s
	}
	return scaled(func(j float64) float64 { return 1 / math.Sqrt(j*math.Sqrt(j)) }, 1),
		scaled(func(j float64) float64 { return 1 / math.Sqrt(j) }, standinSpread)
}

// standinSigns draws a sign for each coordinate, so that each set has its own rotation.
func standinSigns(name string) (signs [FeatureDim]float64) {
	rng := Rand(standinSeed, name+"/signs", 0)
	for j := range signs {
		signs[j] = float64(2*rng.IntN(2) - 1)
	}
	return signs
}

// rotate applies an orthogonal matrix in place: a Walsh-Hadamard transform of each third, without its factor √(1/128),
// then a reflection that mixes the thirds. It spreads every direction over all 384 coordinates.
func rotate(y *[FeatureDim]float64) *[FeatureDim]float64 {
	const third = FeatureDim / 3 // 128
	for at := 0; at < FeatureDim; at += third {
		part := y[at : at+third]
		for half := 1; half < third; half *= 2 {
			for i := 0; i < third; i += 2 * half {
				for j := i; j < i+half; j++ {
					part[j], part[j+half] = part[j]+part[j+half], part[j]-part[j+half]
				}
			}
		}
	}
	for j := range third { // I − ⅔·11ᵀ of each triple
		mean := (y[j] + y[third+j] + y[2*third+j]) * (2. / 3)
		y[j] -= mean
		y[third+j] -= mean
		y[2*third+j] -= mean
	}
	return y
}

func appendUnit(x []float32, y *[FeatureDim]float64) []float32 {
	sum := 0.0
	for _, v := range y {
		sum += float64(v * v) // the conversion forbids a fused operation
	}
	length := math.Sqrt(sum)
	for _, v := range y {
		x = append(x, float32(v/length))
	}
	return x
}
