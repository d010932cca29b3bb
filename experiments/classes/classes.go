// Package classes asks table 4's question, classes never seen in training, of real images: MNIST and Fashion-MNIST have
// 20 classes together, of which each of three splits trains on ten and tests on the others. Importing it registers two
// sources of sets for a split: "classes1-images", and "classes1", the features of these images under an encoder that
// was trained on the ten classes of the training half alone.
package classes

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
)

// Splits is how many ways there are to halve the classes.
const Splits = 3

// splitSeed draws the halves. It is part of the data: a change makes another data set, for other encoders.
const splitSeed = 20

// parts are the data sets that give the classes, perPart how many of each train.
var parts = []string{data.SourceMNIST, data.SourceFashion}

const perPart = 5

// Name is the source of a split's features, 1 to Splits.
func Name(split int) string { return fmt.Sprintf("classes%d", split) }

// ImagesName is the source of a split's images.
func ImagesName(split int) string { return Name(split) + "-images" }

// half lists the classes of a part, by their numbers there, that a split trains (data.SplitTrain) or tests on, in
// ascending order: five of ten, drawn by splitSeed, or the other five.
func half(split int, part, which string) []int32 {
	drawn := data.Rand(splitSeed, part, split).Perm(2 * perPart)
	if which == data.SplitTrain {
		drawn = drawn[:perPart]
	} else {
		drawn = drawn[perPart:]
	}
	slices.Sort(drawn)
	classes := make([]int32, len(drawn))
	for i, c := range drawn {
		classes[i] = int32(c)
	}
	return classes
}

func init() {
	for split := 1; split <= Splits; split++ {
		data.Register(images(split))
		data.Register(features(split))
	}
}
