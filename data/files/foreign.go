package files

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

var pictureFormat = foreign("is a single image", "name the folder that holds the images",
	magic("\x89PNG", "\xff\xd8\xff"), isPictureName)

// foreignFormats are known but not read. The refusal of each says how to convert the file.
var foreignFormats = []fileFormat{
	foreign("is an IDX file", "give a folder of PNG or JPEG files, or a published set: gfncp data list",
		idxStart.Match, func(base string) bool { return strings.Contains(base, "-ubyte") }),
	foreign("is a spreadsheet", byPandas("pandas.read_excel(IN)"),
		isSpreadsheet, ending(".xlsx", ".xlsm", ".xls", ".ods", ".numbers")),
	foreign("is an archive of arrays", `take one out: python3 -c "import numpy; f = numpy.load('IN'); `+
		`print(f.files); numpy.save('OUT.npy', f[f.files[0]])"`, arraysStart.Match, ending(".npz")),
	foreign("is an archive", "unpack it and name the file: unzip IN",
		magic("PK\x03\x04", "PK\x05\x06"), ending(".zip")),
	foreign("holds tensors", "save the vectors [M,D] as NAME.npy, and labels [M] as NAME-labels.npy, with numpy.save",
		tensorsStart.Match, ending(".safetensors")),
	foreign("is JSON, a value a line", byPandas("pandas.read_json(IN, lines=True)"),
		jsonLinesStart.Match, ending(".jsonl", ".ndjson")),
	foreign("is JSON", byPandas("pandas.read_json(IN)"), jsonStart.Match, ending(".json")),
	foreign("is an ARFF file", byPandas("pandas.DataFrame(scipy.io.arff.loadarff(IN)[0])", "scipy.io.arff"),
		arffStart.Match, ending(".arff")),
	foreign("is in libsvm's format", `convert it: python3 -c "import numpy, sklearn.datasets; `+
		`x, y = sklearn.datasets.load_svmlight_file('IN'); numpy.save('OUT.npy', x.toarray()); `+
		`numpy.save('OUT-labels.npy', y.astype(int))"`, libsvmStart.Match, ending(".libsvm", ".svmlight")),
	foreign("is a pickle", byPandas("pandas.read_pickle(IN)"),
		magic("\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"), ending(".pkl", ".pickle")), // protocols 2 to 5
	foreign("is a Feather file", byPandas("pandas.read_feather(IN)"),
		magic("ARROW1", "FEA1"), ending(".feather", ".arrow")),
	foreign("is an HDF5 file", byPandas("pandas.read_hdf(IN)"), magic("\x89HDF\r\n"), ending(".h5", ".hdf5")),
}

// byPandas returns the command that converts a file IN, which pandas reads by an expression, to CSV.
func byPandas(frame string, modules ...string) string {
	imports := strings.Join(append([]string{"pandas"}, modules...), ", ")
	return `convert it: python3 -c "import ` + imports + `; ` + strings.ReplaceAll(frame, "IN", "'IN'") +
		`.to_csv('OUT.csv', index=False)"`
}

// foreign returns a format that is refused with a fault. In the hint, IN is replaced by the file's path and OUT by the
// path without its ending; FILE takes the place of a path that a shell would split.
func foreign(fault, hint string, starts func([]byte) bool, named func(string) bool) fileFormat {
	refuse := func(from *opened, _ Options) (*Input, error) {
		path := from.path
		if !plainWords.MatchString(path) {
			path = "FILE"
		}
		out := strings.TrimSuffix(path, filepath.Ext(path))
		if slices.Contains([]string{".csv", ".npy"}, filepath.Ext(path)) { // a wrong ending, which the result may have
			out += "-new"
		}
		shown := strings.NewReplacer("IN", path, "OUT", out)
		return nil, usererr.File(from.path, 0, shown.Replace(hint), "%s", fault)
	}
	return fileFormat{starts: starts, named: named, read: refuse}
}

// The first bytes of formats. A zip archive has the name of its first file behind a header of 30 bytes (PKWARE,
// "APPNOTE", 4.3.7); regexp counts bytes of the header that form a letter in UTF-8 as one. An IDX file has a type of
// values and a number of dimensions (LeCun, "The IDX file format"). A safetensors file has the length of its JSON
// header, below 4 GiB. JSON is an object that is empty or has a key, or a list of objects or lists.
var (
	arraysStart    = regexp.MustCompile(`(?s)^PK\x03\x04.{20,26}[^\x00]*\.npy`)
	officeStart    = regexp.MustCompile(`(?s)^PK\x03\x04.{20,26}(\[Content_Types\]\.xml|xl/|_rels/|docProps/|mimetype)`)
	idxStart       = regexp.MustCompile(`^\x00\x00[\x08\x09\x0b-\x0e][\x01-\x08]`)
	tensorsStart   = regexp.MustCompile(`(?s)^.{1,4}\x00{4}\{`)
	jsonStart      = regexp.MustCompile(`^\x{feff}?\s*(\{\s*("[^"]*"\s*:|\})|\[\s*[{[])`)
	jsonLinesStart = regexp.MustCompile(`^(\{.*\}|\[\s*[{[].*\])\r?\n[{[]`)
	arffStart      = regexp.MustCompile(`^(%.*\r?\n|\s*\n)*(?i:@relation)\s`)
	libsvmStart    = regexp.MustCompile(`^[-+]?[\d.]+( +\d+:[-+\d.eE]+)+ *\r?\n`)
)

func isSpreadsheet(start []byte) bool {
	const old = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" // before 2007
	return magic(old)(start) || officeStart.Match(start)
}
