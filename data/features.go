package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/usererr"
)

// The feature sets (Config.Source): vectors of length 1, one half of their classes in each split. Those of ImageNet are the
// user's own files, their stand-ins are made up; package data/sources has both.
const (
	SourceIN50  = "in50"  // DINO ViT-S/16 features of 50 classes of ImageNet
	SourceIN100 = "in100" // of 100 classes
	SourceIN200 = "in200" // of 200 classes

	SourceStandin50  = "standin50"  // synthetic stand-in for in50
	SourceStandin100 = "standin100" // for in100
	SourceStandin200 = "standin200" // for in200
)

// FeatureDim is D of the feature sets: the width of DINO ViT-S/16.
const FeatureDim = 384

// FeatureSets lists the feature sets: those of ImageNet, then their stand-ins in the same order.
func FeatureSets() []string {
	return []string{SourceIN50, SourceIN100, SourceIN200, SourceStandin50, SourceStandin100, SourceStandin200}
}

// IsFeatureSet reports whether a source is one of FeatureSets.
func IsFeatureSet(source string) bool { return slices.Contains(FeatureSets(), source) }

// IsStandin reports whether a source is a synthetic stand-in: its numbers say nothing about ImageNet.
func IsStandin(source string) bool {
	return slices.Contains([]string{SourceStandin50, SourceStandin100, SourceStandin200}, source)
}

// IsVectors reports whether the points are vectors of a pool, which Factor scales: a feature set, or a user's file of vectors.
func (c Config) IsVectors() bool {
	return IsFeatureSet(c.Source) || c.Source == SourceFile && !c.IsImages()
}

// featureFactor brings vectors of length 1 in FeatureDim dimensions to a scale that networks like: a coordinate then has the
// root mean square 20/√384 = 1.02.
const featureFactor = 20

// DefaultFeatures returns the paper's training settings on a feature set: instance discrimination on the training classes,
// α = 1, noise of standard deviation 0.05 on vectors of length 1 and dropout 0.2. N is 20 to 50: a class of
// ImageNet's validation set has 50 images, and the published code uses no larger sets.
//
// Factor is 20 and Vectors.Noise, which counts in units after Factor, 20·0.05 = 1. The paper does not say how long its vectors
// are. That its noise means vectors of length 1 is an assumption: there it is about as large as a coordinate, 1/√384 = 0.051.
func DefaultFeatures(source string) Config {
	c := DefaultMoG()
	c.Source, c.Split, c.Dim, c.SigmaMu, c.SigmaX = source, SplitTrain, FeatureDim, 0, 0
	c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Mode = 20, 50, 1, 1, ModeInstance
	c.Factor, c.Vectors = featureFactor, augment.DefaultVectors()
	c.Vectors.Noise *= featureFactor
	return c
}

// sourceNames lists all sources for a message.
func sourceNames() string {
	names := append([]string{SourceMoG, SourceMNIST, SourceFashion}, FeatureSets()...)
	return fmt.Sprintf("%q", names[0]) + quoted(names[1:]) + fmt.Sprintf(" or %q", SourceFile)
}

// quoted writes each name in quotes after a comma.
func quoted(names []string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, ", %q", name)
	}
	return b.String()
}

// vectorFaults checks what only vectors of a pool need.
func (c Config) vectorFaults() (faults usererr.Faults) {
	if c.Source == SourceFile {
		faults.Demand(c.Path != "", "path", `""`, "a folder of images or a file of images or vectors")
	} else {
		faults = append(faults, c.splitFaults()...)
	}
	faults.Demand(c.Factor > 0 && finite(c.Factor), "factor", c.Factor, "a finite number above 0")
	return append(faults, c.Vectors.Validate())
}

// splitFaults checks the split of a set that has two.
func (c Config) splitFaults() (faults usererr.Faults) {
	faults.Demand(c.Split == SplitTrain || c.Split == SplitTest, "split", fmt.Sprintf("%q", c.Split), `"train" or "test"`)
	return faults
}
