package files

import (
	"regexp"

	"github.com/gfncp/gfncp/internal/usererr"
)

// foreignFormats are known but not read. The refusal of each says how to convert the file. Text is known by its first
// bytes, too: JSON is an object that is empty or has a key, or a list of objects or lists.
var foreignFormats = []fileFormat{
	foreign("is a single image", "name the folder that holds the images", nil, ".png", ".jpg", ".jpeg"),
	foreign("is an IDX file", "give a folder of PNG or JPEG files, or a published set: gfncp data list", nil, "-ubyte"),
	foreign("is a spreadsheet", byPandas("pandas.read_excel('FILE')"),
		nil, ".xlsx", ".xlsm", ".xls", ".ods", ".numbers"),
	foreign("is an archive of arrays", `take one out: python3 -c "import numpy; f = numpy.load('FILE'); `+
		`print(f.files); numpy.save('OUT.npy', f[f.files[0]])"`, nil, ".npz"),
	foreign("is an archive", "unpack it and name the file", nil, ".zip"),
	foreign("holds tensors", "save the vectors [M,D] as NAME.npy, and labels [M] as NAME-labels.npy, with numpy.save",
		nil, ".safetensors"),
	foreign("is JSON, a value a line", byPandas("pandas.read_json('FILE', lines=True)"),
		regexp.MustCompile(`^(\{.*\}|\[\s*[{[].*\])\r?\n[{[]`), ".jsonl", ".ndjson"),
	foreign("is JSON", byPandas("pandas.read_json('FILE')"),
		regexp.MustCompile(`^\x{feff}?\s*(\{\s*("[^"]*"\s*:|\})|\[\s*[{[])`), ".json"),
	foreign("is an ARFF file", byPandas("import scipy.io.arff; pandas.DataFrame(scipy.io.arff.loadarff('FILE')[0])"),
		regexp.MustCompile(`^(%.*\r?\n|\s*\n)*(?i:@relation)\s`), ".arff"),
	foreign("is in libsvm's format", `convert it: python3 -c "import numpy, sklearn.datasets; `+
		`x, y = sklearn.datasets.load_svmlight_file('FILE'); numpy.save('OUT.npy', x.toarray()); `+
		`numpy.save('OUT-labels.npy', y.astype(int))"`,
		regexp.MustCompile(`^[-+]?[\d.]+( +\d+:[-+\d.eE]+)+ *\r?\n`), ".libsvm", ".svmlight"),
	foreign("is a pickle", byPandas("pandas.read_pickle('FILE')"), nil, ".pkl", ".pickle"),
	foreign("is a Feather file", byPandas("pandas.read_feather('FILE')"), nil, ".feather", ".arrow"),
	foreign("is an HDF5 file", byPandas("pandas.read_hdf('FILE')"), nil, ".h5", ".hdf5"),
}

// byPandas returns the command that converts a file, which pandas reads by an expression, to CSV.
func byPandas(frame string) string {
	return `convert it: python3 -c "import pandas; ` + frame + `.to_csv('OUT.csv', index=False)"`
}

// foreign returns a format that is refused with a fault.
func foreign(fault, hint string, starts *regexp.Regexp, endings ...string) fileFormat {
	refuse := func(path string, _ []byte, _ Options) (*Input, error) {
		return nil, usererr.File(path, 0, hint, "%s", fault)
	}
	return fileFormat{starts: starts, endings: endings, read: refuse}
}
