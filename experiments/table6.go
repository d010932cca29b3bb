package experiments

import "slices"

// table6 compares the online mode, which decides for a point without seeing those that follow, with the primary mode.
var table6 = qualityTable{
	grid{sets: modeSets, methods: []method{
		{Name: "online", Paper: "online", Model: warmGFNCP.Model, Start: warm, Online: true},
		{Name: "primary", Paper: "primary", Model: warmGFNCP.Model, Start: warm},
	}},
	func(s *sheet) {
		s.note("Both modes are GFNCP with a warm start, on the same data; the steps stand in the table.")
		featuresNote(s)
	},
}.experiment(Experiment{
	ID: "table6", Title: "Online mode against primary mode", Section: "appendix",
	Shows:  "what looking ahead is worth: GFNCP with U = 0 against GFNCP with all points in sight",
	Built:  "MoG, MNIST and features for GFNCP in both modes",
	Expect: "small: from shipped weights and the runs of table 4 7 minutes of processor time a seed",
})

// modeSets are the data sets of the appendix.
func modeSets() []dataset { return slices.Concat([]dataset{mogData, mnistData}, featureSets()) }
