package experiments

var table2 = Experiment{
	ID: "table2", Title: "Fixed number of clusters", Section: "5.3",
	Shows:  "clustering quality (NMI, ARI) and order consistency (MC) with six clusters",
	Built:  "MoG, MNIST and FMNIST for ST, DAC, NCP and GFNCP; beside them CCP and an oracle on MoG",
	Expect: fromShipped,
	grid:   grid{sets: on(tableData...), methods: tableMethods, fixedK: 6, published: true},
	run: qualityTable(func(s *sheet) {
		s.note(`ST on images: a likelihood over an embedding that is trained with it has no bound, so its components are matched
			with the true clusters here, which is this project's choice (docs/models.md); it may be stronger or weaker than the
			paper's.`)
		trainedNote(s)
	}),
}
