package experiments

var table4 = Experiment{ID: "table4", Title: "ImageNet-50/100/200 features, unseen classes", Section: "5.4", Shows: "generalization to unseen classes", Missing: "all"}
