package files

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

var pictureFormat = fileFormat{
	kind: "image", starts: magic("\x89PNG", "\xff\xd8\xff"), named: isPictureName,
	read: refuse("is a single image", "name the folder that holds the images"),
}

// foreignFormats are known but not read. The refusal of each says how to convert the file.
var foreignFormats = []fileFormat{
	{
		kind: "IDX", starts: isIDX, named: func(base string) bool { return strings.Contains(base, "-ubyte") },
		read: refuse("is an IDX file", "give a folder of PNG or JPEG files, or a published set: gfncp data list"),
	},
	{
		kind: "spreadsheet", starts: isSpreadsheet, named: ending(".xlsx", ".xlsm", ".xls", ".ods", ".numbers"),
		read: refuse("is a spreadsheet", byPandas("pandas.read_excel(IN)")),
	},
	{
		kind: "archive of arrays", starts: holdsFirst(".npy"), named: ending(".npz"),
		read: refuse("is an archive of arrays", `take one out: python3 -c "import numpy; f = numpy.load('IN'); `+
			`print(f.files); numpy.save('OUT.npy', f[f.files[0]])"`),
	},
	{
		kind: "archive", starts: magic("PK\x03\x04", "PK\x05\x06"), named: ending(".zip"),
		read: refuse("is an archive", "unpack it and name the file: unzip IN"),
	},
	{
		kind: "safetensors", starts: isTensors, named: ending(".safetensors"),
		read: refuse("holds tensors", saveArray),
	},
	{
		kind: "JSON lines", starts: isJSONLines, named: ending(".jsonl", ".ndjson"),
		read: refuse("is JSON, a value a line", byPandas("pandas.read_json(IN, lines=True)")),
	},
	{
		kind: "JSON", starts: isJSON, named: ending(".json"),
		read: refuse("is JSON", byPandas("pandas.read_json(IN)")),
	},
	{
		kind: "ARFF", starts: arffStart.Match, named: ending(".arff"),
		read: refuse("is an ARFF file", byPandas("pandas.DataFrame(scipy.io.arff.loadarff(IN)[0])", "scipy.io.arff")),
	},
	{
		kind: "libsvm", starts: libsvmStart.Match, named: ending(".libsvm", ".svmlight"),
		read: refuse("is in libsvm's format", `convert it: python3 -c "import numpy, sklearn.datasets; `+
			`x, y = sklearn.datasets.load_svmlight_file('IN'); numpy.save('OUT.npy', x.toarray()); `+
			`numpy.save('OUT-labels.npy', y.astype(int))"`),
	},
	{
		kind: "pickle", starts: isPickle, named: ending(".pkl", ".pickle"),
		read: refuse("is a pickle", byPandas("pandas.read_pickle(IN)")),
	},
	{
		kind: "feather", starts: magic("ARROW1", "FEA1"), named: ending(".feather", ".arrow"),
		read: refuse("is a Feather file", byPandas("pandas.read_feather(IN)")),
	},
	{
		kind: "HDF5", starts: magic("\x89HDF\r\n"), named: ending(".h5", ".hdf5"),
		read: refuse("is an HDF5 file", byPandas("pandas.read_hdf(IN)")),
	},
}

const saveArray = "save the vectors [M,D] as NAME.npy, and labels [M] as NAME-labels.npy, with numpy.save"

// byPandas returns the command that converts a file IN, which pandas reads by an expression, to CSV.
func byPandas(frame string, modules ...string) string {
	imports := strings.Join(append([]string{"pandas"}, modules...), ", ")
	return `convert it: python3 -c "import ` + imports + `; ` + strings.ReplaceAll(frame, "IN", "'IN'") +
		`.to_csv('OUT.csv', index=False)"`
}

// refuse returns a reader that refuses the file. IN in the hint stands for its path, OUT for the path without its
// ending; FILE stands for a path that a shell would take apart.
func refuse(fault, hint string) func(*opened, Options) (*Input, error) {
	return func(from *opened, _ Options) (*Input, error) {
		path := from.path
		if !plainWords.MatchString(path) {
			path = "FILE"
		}
		out := strings.TrimSuffix(path, filepath.Ext(path))
		if slices.Contains([]string{".csv", ".npy"}, filepath.Ext(path)) { // a wrong ending, which may be the result's
			out += "-new"
		}
		shown := strings.NewReplacer("IN", path, "OUT", out)
		return nil, usererr.File(from.path, 0, shown.Replace(hint), "%s", fault)
	}
}

// holdsFirst matches zip archives whose first file has a name with one of these beginnings or endings.
func holdsFirst(names ...string) func([]byte) bool {
	return func(start []byte) bool {
		const header = 30 // bytes before the name (PKWARE, "APPNOTE", 4.3.7)
		if len(start) < header || !magic("PK\x03\x04")(start) {
			return false
		}
		length := int(binary.LittleEndian.Uint16(start[26:]))
		name := string(start[header:min(len(start), header+length)])
		return slices.ContainsFunc(names, func(n string) bool {
			return strings.HasPrefix(name, n) || strings.HasSuffix(name, n)
		})
	}
}

func isSpreadsheet(start []byte) bool {
	const old = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" // before 2007
	return magic(old)(start) || holdsFirst("[Content_Types].xml", "xl/", "_rels/", "docProps/", "mimetype")(start)
}

// isIDX reports whether a file begins as an IDX file does, with a value type and a number of dimensions (LeCun, "The
// IDX file format").
func isIDX(start []byte) bool {
	const types = "\x08\x09\x0b\x0c\x0d\x0e"
	return len(start) >= 4 && start[0] == 0 && start[1] == 0 && strings.IndexByte(types, start[2]) >= 0 &&
		start[3] >= 1 && start[3] <= 8
}

// isTensors reports whether a file begins like a safetensors file, with a JSON header of less than 4 GiB.
func isTensors(start []byte) bool {
	return len(start) >= 9 && start[8] == '{' && slices.Equal(start[4:8], make([]byte, 4))
}

// isJSON reports whether a file begins with a JSON object that has a key, or with a list of objects or lists.
func isJSON(start []byte) bool {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf"))))
	first, _ := d.Token()
	second, err := d.Token()
	if _, isKey := second.(string); first == json.Delim('{') {
		return err == nil && (isKey && d.More() || second == json.Delim('}'))
	}
	return first == json.Delim('[') && (second == json.Delim('{') || second == json.Delim('['))
}

// isJSONLines reports whether the first line is an object of JSON, and another begins in the next one.
func isJSONLines(start []byte) bool {
	first, rest, _ := bytes.Cut(start, []byte("\n"))
	return isJSON(start) && json.Valid(first) && bytes.HasPrefix(rest, first[:1])
}

var (
	arffStart   = regexp.MustCompile(`^(%.*\r?\n|\s*\n)*(?i:@relation)\s`)
	libsvmStart = regexp.MustCompile(`^[-+]?[\d.]+( +\d+:[-+\d.eE]+)+ *\r?\n`)
)

// isPickle reports whether a file begins as Python's pickle protocols 2 to 5 do.
func isPickle(start []byte) bool {
	return len(start) > 2 && start[0] == 0x80 && start[1] >= 2 && start[1] <= 5
}
