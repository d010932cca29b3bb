package experiments

import "slices"

// figure1 is the paper's comparison of order dependence on MNIST.
var figure1 = sdppFigure{
	id: "figure1", title: "SDPP histograms, MNIST", section: "1",
	built:  "MNIST for NCP and GFNCP, on the data's labels and on sampled ones, with the paper's histograms behind",
	expect: "small: from shipped weights 8 minutes of processor time; smoke: seconds",
	sets:   func() []dataset { return []dataset{mnistData} },
	xMax:   10,
}.experiment()

// figure5 is the same on features of ImageNet's images.
var figure5 = sdppFigure{
	id: "figure5", title: "SDPP histograms, ImageNet-50/200 features", section: "5.4",
	built:  "IN50 and IN200 for NCP and GFNCP on the user's feature files, or on a synthetic stand-in that says so",
	expect: "small: from the runs of table 4, minutes",
	sets: func() []dataset {
		return slices.DeleteFunc(featureSets(), func(d dataset) bool { return d.Paper != "IN50" && d.Paper != "IN200" })
	},
	xMax: 24,
}.experiment()
