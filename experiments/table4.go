package experiments

import "fmt"

// table4 is the paper's comparison on features of ImageNet's images: trained on half of the classes without labels, tested on
// the other half.
var table4 = qualityTable{
	id: "table4", title: "ImageNet-50/100/200 features, unseen classes", section: "5.4",
	caption: "generalization to unseen classes of image features (DINO ViT-S/16, 384 dimensions)",
	built:   "DAC, NCP and GFNCP on the user's feature files, or on a synthetic stand-in that says so",
	expect:  "small: 42 minutes a seed on 2 cores beside other work",
	sets:    featureSets, methods: featureMethods, remarks: featureRemarks,
}.experiment()

// featureMethods are the rows of the paper's table, GFNCP under both ways to start and DAC in both variants.
var featureMethods = []method{dacMin, dacAnchored, ncp, coldGFNCP, warmGFNCP}

// featureRemarks says how cells of features are trained.
func featureRemarks(lab *Lab) []string {
	c := lab.Scale.config(featureSets()[0], warmGFNCP, 0)
	return []string{fmt.Sprintf(
		"Features: a cell trained at scale %s sees %d sets a step with N = %d..%d for %d steps, by instance discrimination (noise %g, feature dropout %g) on the first half of the classes; a class of ImageNet's validation images has 50, so sets have at most %d points, as in the published code.",
		lab.Scale, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Data.Vectors.Noise, c.Data.Vectors.Dropout, c.Data.Descriptor().TestPoints)}
}
