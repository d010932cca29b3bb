package experiments

var figure4 = Experiment{ID: "figure4", Title: "Clusterings under two data orders", Section: "5", Shows: "order dependence, seen on one set", Missing: "all"}
