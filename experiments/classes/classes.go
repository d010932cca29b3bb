// Package classes gives table 4 real images of classes never seen in training: three splits halve the 20 classes of
// MNIST and Fashion-MNIST. Importing it registers two sources for each split: e.g. "classes1-images", and "classes1",
// their features under an encoder of the training half.
package classes

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
)

// Splits is how many ways there are to halve the classes.
const Splits = 3

// splitSeed draws the halves. It is part of the data: a change makes another data set, for other encoders.
const splitSeed = 20

// parts are the data sets with the classes; perPart classes of each are for training.
var parts = []string{data.SourceMNIST, data.SourceFashion}

const perPart = 5

// Name is the source of a split's features, 1 to Splits.
func Name(split int) string { return fmt.Sprintf("classes%d", split) }

// ImagesName is the source of a split's images.
func ImagesName(split int) string { return Name(split) + "-images" }

// half lists the classes of a part that a split trains on (data.SplitTrain), five random ones, or tests on, the others.
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

// images describes the images of a split.
func images(split int) data.Descriptor {
	return data.Descriptor{
		Name: ImagesName(split), Aliases: []string{}, Licence: "CC BY-SA 3.0, MIT",
		Title: fmt.Sprintf("half the classes of MNIST and Fashion-MNIST, split %d", split),
		Home:  "computed from mnist and fmnist", Shape: data.Images, Alpha: 1,
		Train: 2 * perPart * 6000, Test: 2 * perPart * 1000, // about, because MNIST's classes differ in size
		Height: data.ImageSide, Width: data.ImageSide, Classes: []string{},
		TrainClasses: 2 * perPart, TestClasses: 2 * perPart,
		From:   parts,
		Derive: func(dir, which string) (*data.Pool, error) { return imagesOf(dir, split, which) },
	}
}

// imagesOf returns the images of a half: the training images of the split's training classes, or the test images of the
// other classes. Digits come first; labels count the classes of the half.
func imagesOf(dir string, split int, which string) (*data.Pool, error) {
	all := &data.Pool{Name: ImagesName(split) + "/" + which, Height: data.ImageSide, Width: data.ImageSide}
	for _, part := range parts {
		pool, err := sources.Load(dir, part, which)
		if err != nil {
			return nil, err
		}
		add(all, pool, half(split, part, which))
	}
	return all, all.Check()
}

// add appends the images of some classes of a pool; the classes get the next numbers.
func add(all, pool *data.Pool, classes []int32) {
	all.D = pool.D
	first := int32(len(all.Classes))
	for _, c := range classes {
		all.Classes = append(all.Classes, pool.Classes[c])
	}
	for i, label := range pool.Labels {
		if at := slices.Index(classes, label); at >= 0 {
			all.X = append(all.X, pool.Point(i)...)
			all.Labels = append(all.Labels, first+int32(at))
		}
	}
}
