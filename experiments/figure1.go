package experiments

// figure1 is the paper's comparison of order dependence on MNIST.
var figure1 = orderDependence{
	grid: grid{sets: on(mnistData), methods: sdppMethods}, xMax: 10,
}.experiment(Experiment{
	ID: "figure1", Title: "SDPP histograms, MNIST", Section: "1",
	Built:  "MNIST for NCP and GFNCP, on the data's labels and on sampled ones, with the paper's histograms behind",
	Expect: "small: from shipped weights 8 minutes of processor time; smoke: seconds",
})
