package experiments

import (
	"slices"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/train"
)

var modes = []method{
	{Name: "online", Paper: "online", Model: warmGFNCP.Model, Start: StartWarm, Online: true},
	{Name: "primary", Paper: "primary", Model: warmGFNCP.Model, Start: StartWarm},
	{Name: "online (paper)", Paper: "online", Model: coldGFNCP.Model, Online: true},
	{Name: "primary (paper)", Paper: "primary", Model: coldGFNCP.Model},
	{Name: "online (free flows; images: walks)", Paper: "online", Model: train.GFNCP, Start: StartFree, Online: true},
	{
		Name: "primary (free flows; extended/walks)", Paper: "primary",
		Model: train.GFNCP, Start: StartFree,
	},
	{Name: "Exact, online", Reference: evaluation.Sequential},
}

// table6 compares the online mode, which decides on a point without seeing later points, with the primary mode.
var table6 = Experiment{
	ID: "table6", Title: "Online mode against primary mode", Section: "appendix",
	Shows:  "what looking ahead is worth: GFNCP with U = 0 against GFNCP with all points in sight",
	Built:  "MoG, MNIST and features for GFNCP in both modes",
	Expect: "small: from shipped weights and the runs of table 4 7 minutes of processor time a seed",
	grid:   grid{sets: modeSets, methods: modes},
	run: qualityTable(func(s *sheet) {
		s.note(`Online and primary are GFNCP with a warm start, on the same data; (paper) is trained by the paper's
			objective from the first step, (free flows) by ours, on images by walks. On MoG the network of primary (free
			flows) sees more.

			"Exact, online" knows the generating process of MoG. It gives each point the cluster that is most probable
			given the points before it. Greedy decisions in online mode reach this if their probabilities are exact.`)
		featuresNote(s)
	}),
}

func modeSets() []dataset { return slices.Concat([]dataset{mogData, mnistData}, featureSets()) }
