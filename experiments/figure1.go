package experiments

var figure1 = Experiment{ID: "figure1", Title: "SDPP histograms", Section: "1", Shows: "order dependence of the probabilities", Missing: "all"}

var figure5 = Experiment{ID: "figure5", Title: "SDPP on further data sets", Section: "5", Shows: "order dependence of the probabilities", Missing: "all"}
