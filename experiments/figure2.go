package experiments

var figure2 = Experiment{ID: "figure2", Title: "The decision graph of three points", Section: "2.3", Shows: "how orders meet in one clustering", Missing: "all"}
