package experiments

var figure3 = Experiment{ID: "figure3", Title: "Three most likely clusterings of images", Section: "5", Shows: "what the model is uncertain about", Missing: "all"}
