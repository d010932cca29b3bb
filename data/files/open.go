package files

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Options says how Open reads the user's files. The zero value detects everything. Columns are named by their names or
// their 1-based numbers; a text that is both is a name.
type Options struct {
	// Invert tells whether images become 1 − x: "yes", "no" or "auto". Empty is "auto": images are inverted if the mean
	// of all border pixels of the collection exceeds 0.5, as for dark strokes on a bright background.
	Invert string

	// NoLabels leaves labels out. A column of labels is not a coordinate either way.
	NoLabels bool

	// SomeLabels allows rows of a table without a label, which get −1. Otherwise a label that is empty, or stands for a
	// missing cell, is a fault.
	SomeLabels bool

	// LabelColumn is the column of labels. If it is empty, a column with a label's name, in letters of any case, or "y"
	// holds the labels, and a warning says so. A column y is a coordinate if there is a column x, fewer than three
	// columns, or a fraction in it.
	LabelColumn string

	// Columns are the coordinates, in the wanted order. Empty means every column but the label's.
	Columns []string

	// Like are the columns of another file. A table that has all of them reads them as its Columns. Otherwise, and if
	// Columns or Encoding is set, Like is ignored.
	Like []string

	// Single allows a file of one point; otherwise text must hold two.
	Single bool

	// Frame tells that text is CSV of a data frame, which knows its gaps: only empty cells and NaN are missing in a
	// column of text, and rows of empty cells at the end stay. After the reading, faults name rows by their numbers
	// from 0, in place of the file and the line: a program wrote the file only to read it here.
	Frame bool

	// Ignore are the columns that are not read.
	Ignore []string

	// IgnoreText leaves out columns of text, unless Columns, Categorical or Encoding names them. Labels and names of
	// points stay.
	IgnoreText bool

	// Missing are texts and numbers, such as "unknown" or "-999", that stand for a missing cell beside the usual ones.
	Missing []string

	// Aside are columns of a table that are neither coordinates nor labels: Input.Aside.
	Aside []string

	// Categorical are columns whose cells are levels, also if they are numbers.
	Categorical []string

	// Encoding, if not nil, is the encoding of another file: its columns are read with the kinds that they had there,
	// and one point is enough. Columns, Ignore and Categorical are ignored then.
	Encoding *tabular.Encoding

	// NoStandardize tells callers that encode tables to leave numbers in their units. Open and Read ignore it.
	NoStandardize bool

	// Header tells whether the first line of text holds the column names: "yes", "no" or "auto". Empty is "auto": the
	// line is a header if it holds text in a coordinate column, or in any column if LabelColumn or Columns has a name,
	// or if it holds whole numbers in equal steps, and the rest does not.
	Header string

	// Comma separates the cells of text. Zero means a tab for names that end in .tsv or .tab. Otherwise it is tab,
	// semicolon, comma or bar, whichever splits the first lines most evenly.
	Comma rune

	mark   byte // the decimal mark of a table of text
	blanks bool // see cells
}

// Open reads the user's file or folder at path; "-" is standard input. The content determines the format, or else the
// name does; see formats. It reads
//
//   - a folder of PNG and JPEG images with all its sub-folders, in the order of their paths. If every image lies
//     directly in a first-level sub-folder, the sub-folders' names are the classes;
//   - an .npy array [M,D] of vectors. The integers or texts [M] in a file NAME-labels.npy beside NAME.npy are the
//     labels;
//   - a Parquet table of one column of lists of numbers, or of columns of plain values;
//   - a table in CSV or TSV text. Every other file is taken for one.
//
// Each file may be packed by gzip, or come through a pipe. Vectors keep their values (Input.Raw), images become 28×28
// grey values in 0..1. All faults that the user can mend are *usererr.Error.
func Open(path string, o Options) (*Input, error) {
	in, err := Read(path, o)
	if err != nil {
		return nil, err
	}
	if err := in.Raw(); err != nil {
		return nil, err
	}
	return in, nil
}

// Read is Open without Input.Raw: a table may have categories, times and missing cells. Its points are made by
// Input.Raw, Encode or Apply.
func Read(path string, o Options) (*Input, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	read := readFile
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		read = readFolder
	}
	in, err := read(path, o.trimmed())
	if err != nil {
		return nil, err
	}
	in.finish(path, o)
	return in, nil
}

// finish does the steps that are the same for all formats.
func (in *Input) finish(path string, o Options) {
	in.Path, in.Name, in.Missing, in.like = path, path, o.Missing, len(o.Like) > 0
	if o.Frame {
		in.Path, in.Lines = "", nil
	}
	if in.table != nil {
		in.table.Path, in.table.Lines = in.Path, in.Lines
	}
	if o.NoLabels {
		in.Labels, in.Classes, in.LabelsFrom = nil, nil, ""
	}
	for j := len(in.Columns); j < in.D && !in.IsImages(); j++ {
		in.Columns = append(in.Columns, tabular.DefaultName(j))
	}
}

// readFile reads a file, or standard input, in the format that its first bytes show, or else its name.
func readFile(path string, o Options) (*Input, error) {
	name, content, err := path, []byte(nil), error(nil)
	if path == "-" {
		name = "standard input"
		content, err = fileio.ReadAll(name, os.Stdin)
	} else {
		content, err = fileio.ReadInput(path)
	}
	if err != nil {
		return nil, err
	}
	f := formatOf(content, plainName(name))
	found, err := f.read(name, content, o)
	if err != nil {
		return nil, err
	}
	if err := f.uses(name, o, found.IsImages()); err != nil {
		return nil, err
	}
	if found.Kind == "" {
		found.Kind = f.kind
	}
	return found, nil
}

// uses reports an option that has no effect on a file of the format, as a *usererr.Error.
func (f fileFormat) uses(path string, o Options, images bool) error {
	const noTable = "has no effect: this is no table"
	set := func(choice string) bool { return choice == "yes" || choice == "no" }
	for _, option := range []struct {
		name        string
		given, used bool
		why         string
	}{
		{"Columns", len(o.Columns) > 0, f.columns, noTable},
		{"Ignore", len(o.Ignore) > 0, f.columns, noTable},
		{"IgnoreText", o.IgnoreText, f.columns, noTable},
		{"Categorical", len(o.Categorical) > 0, f.columns, noTable},
		{"Missing", len(o.Missing) > 0, f.columns || len(o.Like) > 0, noTable}, // see Input.Empty
		{"LabelColumn", o.LabelColumn != "", f.columns, noTable},
		{"Header", set(o.Header), f.header, noTable},
		{"Invert", set(o.Invert), images, "has no effect on a table"},
	} {
		if option.given && !option.used {
			return &usererr.Error{Path: path, Option: option.name, Msg: option.why, Hint: "leave it out"}
		}
	}
	return nil
}

// plainName returns a file's name in lower case, without the ending .gz.
func plainName(path string) string {
	return strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
}

func (o Options) check() error {
	for _, choice := range []struct{ name, value string }{{"Invert", o.Invert}, {"Header", o.Header}} {
		if !slices.Contains([]string{"", "auto", "yes", "no"}, choice.value) {
			return usererr.Option(choice.name, "use auto, yes or no", "%q is unknown", choice.value)
		}
	}
	if bad := o.Comma; bad != 0 && (!utf8.ValidRune(bad) || strings.ContainsRune("\"#\r\n\uFFFD", bad)) {
		return usererr.New("use a comma, a semicolon or a tab", "%q cannot separate cells", bad)
	}
	return nil
}

// trimmed returns o without spaces around column names, as cells are trimmed too. An Encoding clears the other columns.
func (o Options) trimmed() Options {
	if o.Encoding != nil {
		o.Columns, o.Ignore, o.Categorical = nil, nil, nil
	}
	for _, list := range []*[]string{&o.Columns, &o.Ignore, &o.Categorical} {
		*list = mapped(*list, strings.TrimSpace)
	}
	o.LabelColumn = strings.TrimSpace(o.LabelColumn)
	return o
}

// alike returns o with the columns Like, if all of them are among the names of a table's columns.
func (o Options) alike(names []string) Options {
	strange := func(want string) bool { return !slices.Contains(names, want) }
	if len(o.Columns) == 0 && o.Encoding == nil && !slices.ContainsFunc(o.Like, strange) {
		o.Columns = o.Like
	}
	return o
}

// fileFormat is a kind of file that Open reads. A new one is a Go file and an entry of formats.
type fileFormat struct {
	kind    string         // Input.Kind, unless the reader sets it
	starts  *regexp.Regexp // matches the first bytes of a file of the format; nil for a format that has only a name
	endings []string       // of names (plainName) of files of the format
	columns bool           // it has columns with names
	header  bool           // its first line may hold names
	read    func(path string, content []byte, o Options) (*Input, error)
}

// formats are tried in this order, first by the content and then by the name. Every other file is a table.
var formats = append([]fileFormat{parquetFormat, npyFormat}, foreignFormats...)

// formatOf finds the format of a file by its first bytes, or else by its name.
func formatOf(content []byte, base string) fileFormat {
	start := content[:min(len(content), 512)]
	i := slices.IndexFunc(formats, func(f fileFormat) bool { return f.starts != nil && f.starts.Match(start) })
	if i < 0 {
		i = slices.IndexFunc(formats, func(f fileFormat) bool {
			return slices.ContainsFunc(f.endings, func(end string) bool { return strings.HasSuffix(base, end) })
		})
	}
	if i < 0 {
		return tableFormat
	}
	return formats[i]
}
