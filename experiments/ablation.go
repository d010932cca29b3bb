package experiments

var ablationLoss = Experiment{ID: "ablation-loss", Title: "Objectives on the same energies", Section: "beyond the paper", Shows: "what marginal consistency brings over the balance losses of flow networks", Missing: "all"}

var ablationWeights = Experiment{ID: "ablation-weights", Title: "Weights of the objective", Section: "beyond the paper", Shows: "what the weights, the exploration and clipping do", Missing: "all"}
