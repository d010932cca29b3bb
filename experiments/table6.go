package experiments

import "slices"

// table6 compares the online mode, which decides for a point without seeing those that follow, with the primary mode.
var table6 = qualityTable{
	id: "table6", title: "Online mode against primary mode", section: "appendix",
	caption: "what looking ahead is worth: GFNCP with U = 0 against GFNCP with all points in sight",
	built:   "MoG, MNIST and features for GFNCP in both modes",
	expect:  "small: from shipped weights and the runs of table 4 7 minutes of processor time a seed",
	sets:    modeSets, methods: modeMethods, remarks: modeRemarks,
}.experiment()

func modeSets() []dataset { return slices.Concat([]dataset{mogData, mnistData}, featureSets()) }

var modeMethods = []method{
	{Name: "online", Paper: "online", Model: warmGFNCP.Model, Start: warm, Online: true},
	{Name: "primary", Paper: "primary", Model: warmGFNCP.Model, Start: warm},
}

func modeRemarks(lab *Lab) []string {
	return append([]string{"Both modes are GFNCP with a warm start, on the same data; the steps stand in the table."}, featureRemarks(lab)...)
}
