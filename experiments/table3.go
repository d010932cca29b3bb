package experiments

var table3 = Experiment{
	ID: "table3", Title: "Arbitrary number of clusters", Section: "5.3",
	Shows:  "clustering quality (NMI, ARI) and order consistency (MC) when the number of clusters is unknown",
	Built:  "MoG, MNIST and FMNIST for DAC, NCP and GFNCP; beside them CCP, Gibbs sampling and an oracle on MoG",
	Expect: fromShipped,
	grid:   grid{sets: on(tableData...), methods: tableMethods, published: true},
	run:    qualityTable(trainedNote),
}
