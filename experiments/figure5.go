package experiments

import "slices"

var figure5 = Experiment{
	ID: "figure5", Title: "SDPP histograms, ImageNet-50/200 features", Section: "5.4",
	Shows:  sdppShows,
	Built:  "IN50 and IN200 for NCP and GFNCP on the user's feature files, or on a synthetic stand-in that says so",
	Expect: "small: from the runs of table 4, minutes",
	grid: grid{
		sets: func() []dataset {
			return slices.DeleteFunc(featureSets(),
				func(d dataset) bool { return d.Paper != "IN50" && d.Paper != "IN200" })
		},
		methods: sdppMethods,
	},
	run: sdppFigure(24),
}
