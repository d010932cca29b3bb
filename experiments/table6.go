package experiments

var table6 = Experiment{ID: "table6", Title: "Online mode against primary mode", Section: "appendix", Shows: "what looking ahead is worth", Missing: "all"}
