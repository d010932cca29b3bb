package experiments

import "slices"

var figure1 = Experiment{
	ID: "figure1", Title: "SDPP histograms, MNIST", Section: "1",
	Shows:  sdppShows,
	Built:  "MNIST for NCP and GFNCP, on the data's labels and on sampled ones, with the paper's histograms behind",
	Expect: "small: from shipped weights ten minutes of processor time a model; smoke: half a minute",
	grid:   grid{sets: on(mnistData), methods: slices.Concat(sdppMethods, []method{codeGFNCP}, walkMethods)},
	run:    sdppFigure(10),
}
