package experiments

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/experiments/classes"
)

// classSets are real images of unseen classes, which the paper does not have. Ten of the 20 classes of MNIST and
// Fashion-MNIST train the encoder and the model, and the others are for tests, in three splits. All points of a
// training cluster are augmented; otherwise the only one without noise would stand out.
func classSets() (sets []dataset) {
	for split := 1; split <= classes.Splits; split++ {
		sets = append(sets, dataset{
			Name: fmt.Sprintf("20 classes (%d)", split), Source: classes.Name(split), Alpha: 1, Features: true,
			Neighbors: mnistData.Neighbors, Walk: mnistData.Walk, AugmentBase: true,
			Another: split > 1,
		})
	}
	return sets
}

var table4 = Experiment{
	ID: "table4", Title: "ImageNet-50/100/200 features, unseen classes", Section: "5.4",
	Shows: "generalization to unseen classes of image features (DINO ViT-S/16, 384 dimensions)",
	Built: "DAC, NCP and GFNCP on the user's feature files, or on a synthetic stand-in that says so; below, on " +
		"20 classes of MNIST and Fashion-MNIST, half of them never seen",
	Expect: "small: 42 minutes a seed on 2 cores beside other work, and for each split of the 20 classes about " +
		"20 without DAC (min-filtering), which was not trained there",
	grid: grid{
		sets:      func() []dataset { return slices.Concat(featureSets(), classSets()) },
		methods:   []method{dacMin, dacAnchored, ncp, extendedNCP, coldGFNCP, warmGFNCP, freeGFNCP},
		published: true,
	},
	run: qualityTable(func(s *sheet) {
		featuresNote(s)
		classesNote(s)
	}),
}

func classesNote(s *sheet) {
	d := classSets()[0]
	c, noisy := s.Scale.config(d, freeGFNCP, 0), s.Scale.config(d, warmGFNCP, 0)
	s.note(`The 20 classes are the digits of MNIST and the clothes of Fashion-MNIST. The paper has no numbers for them. A split
		trains on five classes of each, which a fixed seed draws. The encoder and the model see training images of these ten
		alone. The encoder is an NCP, trained by walks without labels. A feature is its h, %d numbers of length 1. Test sets
		hold test images of the other ten. All points of a training cluster have noise (%.2g) and dropout; the paper's base
		points have neither. "GFNCP (free flows)" and "NCP (extended/walks)" have no noise and no dropout: their clusters are the
		ends of random walks of %d steps over the %d mutual nearest neighbours of a base image, between features. Compare these
		two with each other. All other settings equal the settings of the features above.`,
		classes.Dim, noisy.Data.Vectors.Noise, c.Data.Walk, c.Data.Neighbors)
}
