package files

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Options says how Open makes a pool of the user's files.
type Options struct {
	// Height and Width are the size in pixels that images get, in the pool and in Conversion.Size. Both 0 leave images
	// as they are; then all must have the same size.
	Height, Width int

	// Invert tells whether images become 1 − x: "yes", "no" or "auto". Empty is "auto": they do if the mean of all
	// border pixels over the whole collection exceeds 0.5, as that of dark strokes on a bright background does.
	Invert string

	// Labels tells whether labels are read: "auto", "yes" or "no". Empty is "auto": they are if there are any. With
	// "yes" it is a fault if there are none.
	Labels string

	// Table says how a CSV or TSV table is read, and which columns of a Parquet table. Of a .npz or .safetensors file,
	// LabelColumn names the array of labels and Columns the one array of features.
	Table tabular.Options
}

// DefaultOptions are those of the models for images: 28×28 pixels, all else found out.
func DefaultOptions() Options {
	return Options{Height: 28, Width: 28, Invert: "auto", Labels: "auto"}
}

// kinds is what Open reads, for messages.
const kinds = "give a folder of PNG or JPEG images, an IDX images file, a .npy array, a .npz, .safetensors or .parquet file of features, " +
	"or a .csv or .tsv table"

// Open makes a pool of the user's file or folder at path and says what it did. It reads
//
//   - a folder of PNG and JPEG images with all its sub-folders, in the order of their paths. If every image lies directly
//     in a first-level sub-folder, the sub-folders' names are the classes, in order of first appearance;
//   - an IDX file of images, packed or not. If its name contains "images-idx3", labels are sought in the file with
//     "labels-idx1" in its place. The classes are the label values that occur, in ascending order;
//   - an .npy array [M,D] of vectors, or [M,H,W], [M,H,W,1] or [M,H,W,3] of images with values in 0..1 or 0..255. If there is a
//     file NAME-labels.npy beside NAME.npy, its integers or texts [M] are the labels;
//   - a file of several arrays, .npz or .safetensors: an array [M,D] of vectors named features, X, x, embeddings or data, or the
//     only one of floats with two dimensions; and labels [M], integers or text, named labels, y or targets, or the only such one.
//     Integers number the names in an array classes (in .safetensors: a JSON list in the metadata), if there is one;
//   - a Parquet table (.parquet) of one column of lists of numbers, or of columns of numbers; the label column is found as in text;
//   - a table of vectors in CSV or TSV text, "-" for standard input; its labels are canonical, see tabular.Read.
//
// Vectors keep their values, images become grey values in 0..1 of the size in o. All faults that the user can mend are
// *usererr.Error and name the file.
func Open(path string, o Options) (*data.Pool, *Conversion, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	pool, conv, err := open(path, o)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case o.Labels == "no":
		pool.Labels, pool.Classes, conv.Labels = nil, nil, ""
	case o.Labels == "yes" && pool.Labels == nil:
		return nil, nil, usererr.File(path, 0, "leave out the wish for labels, or see the documentation for where they may be", "no labels were found")
	}
	return pool, conv, pool.Check()
}

// check refuses options that nothing could satisfy.
func (o Options) check() error {
	three := []string{"", "auto", "yes", "no"}
	switch {
	case o.Height < 0 || o.Width < 0 || (o.Height == 0) != (o.Width == 0):
		return usererr.New("give a height and a width of at least 1 pixel, or 0 for both to keep images as they are", "images of %d×%d pixels are impossible", o.Height, o.Width)
	case o.Height > 0 && o.Width > maxPixels/o.Height:
		return usererr.New("choose a smaller size", "images of %d×%d pixels are too large", o.Height, o.Width)
	case !slices.Contains(three, o.Invert):
		return usererr.New("use auto, yes or no", "invert %q is unknown", o.Invert)
	case !slices.Contains(three, o.Labels):
		return usererr.New("use auto, yes or no", "labels %q is unknown", o.Labels)
	}
	return nil
}

// open finds out the kind of path and reads it.
func open(path string, o Options) (*data.Pool, *Conversion, error) {
	if path == "-" {
		return tablePool(tabular.Read(path, o.Table))
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fileio.OpenFault(path, err)
	}
	if info.IsDir() {
		return openFolder(path, o)
	}
	if info.Mode().IsRegular() { // the bytes of a pipe can be read only once
		if pool, conv, done, err := openRandom(path, info.Size(), o); done {
			return pool, conv, err
		}
	}
	var pool *data.Pool
	var conv *Conversion
	err = fileio.WithFile(path, func(in *bufio.Reader) error {
		var err error
		pool, conv, err = openFile(path, in, o)
		return err
	})
	return pool, conv, err
}

// openFile reads a file by its content, or by its name if the content does not tell.
func openFile(path string, in *bufio.Reader, o Options) (*data.Pool, *Conversion, error) {
	start, _ := in.Peek(9) // an error of reading shows again below
	base := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	ext := filepath.Ext(base)
	switch {
	case strings.HasPrefix(string(start), npyMagic) || ext == ".npy":
		return openNPY(path, in, o)
	case isIDX(start) || strings.Contains(base, "idx3") || strings.Contains(base, "idx1"):
		return openIDX(path, in, o)
	case featureExt(start) != "" || featureKinds[ext] != nil: // they would have been opened if the file were not packed
		return nil, nil, usererr.File(path, 0, "unpack it with gunzip", "is a packed file of features")
	case isPictureName(base):
		return nil, nil, usererr.File(path, 0, "name the folder that holds the images", "is a single image")
	case slices.Contains([]string{".csv", ".tsv", ".tab", ".txt"}, ext):
		name := path
		if strings.HasSuffix(strings.ToLower(path), ".gz") {
			name = path[:len(path)-len(".gz")] // its ending may tell the separator
		}
		table, err := tabular.Parse(name, in, o.Table)
		if table != nil {
			table.Path = path
		}
		return tablePool(table, err)
	}
	return nil, nil, usererr.File(path, 0, kinds, "is of no known kind")
}

// tablePool makes a pool of vectors.
func tablePool(t *tabular.Table, err error) (*data.Pool, *Conversion, error) {
	if err != nil {
		return nil, nil, err
	}
	conv := &Conversion{Kind: kindTable, Names: numbers(t.N), Warnings: t.Warnings}
	if t.Labels != nil {
		conv.Labels = "the table's label column"
	}
	return &data.Pool{Name: t.Path, X: t.X, D: t.D, Labels: t.Labels, Classes: t.LabelNames}, conv, nil
}

// numbers are "0", "1", … "n−1".
func numbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
