package experiments

// table4 is the paper's comparison on features of ImageNet's images: trained on half of the classes without labels, tested on
// the other half. GFNCP stands under both ways to start and DAC in both variants.
var table4 = qualityTable{
	grid{sets: featureSets, methods: []method{dacMin, dacAnchored, ncp, coldGFNCP, warmGFNCP}}, featuresNote,
}.experiment(Experiment{
	ID: "table4", Title: "ImageNet-50/100/200 features, unseen classes", Section: "5.4",
	Shows:  "generalization to unseen classes of image features (DINO ViT-S/16, 384 dimensions)",
	Built:  "DAC, NCP and GFNCP on the user's feature files, or on a synthetic stand-in that says so",
	Expect: "small: 42 minutes a seed on 2 cores beside other work",
})

// featuresNote says how cells of features are trained.
func featuresNote(s *sheet) {
	c := s.Scale.config(featureSets()[0], warmGFNCP, 0)
	s.note(`Features: a cell trained at scale %s sees %d sets a step with N = %d..%d for %d steps, by instance discrimination
		(noise %g, feature dropout %g) on the first half of the classes; a class of ImageNet's validation images has 50, so sets
		have at most %d points, as in the published code.`,
		s.Scale, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Data.Vectors.Noise, c.Data.Vectors.Dropout,
		c.Data.Descriptor().TestPoints)
}
