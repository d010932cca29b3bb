package experiments

var table5 = Experiment{ID: "table5", Title: "Average score of the most probable samples", Section: "appendix", Shows: "quality of samples instead of greedy decoding", Missing: "all"}
