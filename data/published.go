package data

// The sizes of the published files, the same for both data sets: a header of 16 bytes and 28·28 bytes an image, a
// header of 8 bytes and one byte a label.
const (
	trainImages = 16 + 60000*28*28
	trainLabels = 8 + 60000
	testImages  = 16 + 10000*28*28
	testLabels  = 8 + 10000
)

// published are the data sets of images that can be fetched. MNIST: LeCun, Cortes, Burges. Fashion-MNIST: Xiao, Rasul,
// Vollgraf 2017 (arXiv:1708.07747), whose README names the classes in this order.
var published = []Descriptor{
	{
		Name: SourceMNIST, Aliases: []string{}, Title: "MNIST, handwritten digits", Licence: "CC BY-SA 3.0",
		Home: "http://yann.lecun.com/exdb/mnist/", Folder: "mnist", Shape: Images, Alpha: 1, Hidden: 256,
		Train: 60000, Test: 10000, Height: 28, Width: 28,
		Classes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
		Mirrors: []string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/",
			"https://storage.googleapis.com/cvdf-datasets/mnist/",
			"http://yann.lecun.com/exdb/mnist/",
		},
		Files: ubyteFiles(
			"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
			"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
			"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
			"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
		),
	},
	{
		Name: SourceFashion, Aliases: []string{"fashion-mnist"}, Title: "Fashion-MNIST, articles of clothing",
		Licence: "MIT",
		Home:    "https://github.com/zalandoresearch/fashion-mnist", Folder: "fashion-mnist", Shape: Images, Alpha: 1,
		Train: 60000, Test: 10000, Height: 28, Width: 28,
		Classes: []string{
			"T-shirt/top", "Trouser", "Pullover", "Dress",
			"Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
		},
		Mirrors: []string{
			"https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
			"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
		},
		Files: ubyteFiles(
			"c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
			"bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
			"5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
			"0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
		),
	},
}

// ubyteFiles lists the files under their published names, given the SHA-256 of their unpacked contents.
func ubyteFiles(trainImagesSum, trainLabelsSum, testImagesSum, testLabelsSum string) map[string]Files {
	return map[string]Files{
		SplitTrain: {
			Images: File{"train-images-idx3-ubyte", trainImages, trainImagesSum},
			Labels: File{"train-labels-idx1-ubyte", trainLabels, trainLabelsSum},
		},
		SplitTest: {
			Images: File{"t10k-images-idx3-ubyte", testImages, testImagesSum},
			Labels: File{"t10k-labels-idx1-ubyte", testLabels, testLabelsSum},
		},
	}
}
