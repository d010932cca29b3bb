package files

import (
	"bytes"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	dark := pngBytes(greyImage(2, 2, 0, 255, 0, 0))
	for _, name := range []string{"b/2.png", "b/10.PNG", "b-a/x.png", "a/deep.jpeg"} { // the JPEG is a PNG in truth
		write(t, dark, dir, name)
	}
	coloured := image.NewNRGBA(image.Rect(0, 0, 4, 2))
	for i := range 8 {
		coloured.SetNRGBA(i%4, i/4, color.NRGBA{0, 0, 255, 200})
	}
	write(t, pngBytes(coloured), dir, "a", "colour.png")
	write(t, []byte("x"), dir, "b", "notes.txt")
	write(t, []byte("x"), dir, "b", "._2.png")
	write(t, []byte("x"), dir, ".hidden", "x.png")
	must.M(os.Mkdir(filepath.Join(dir, "b", "empty.png"), 0o755))
	must.M(os.Symlink(filepath.Join(dir, "b"), filepath.Join(dir, "link")))
	must.M(os.Symlink(filepath.Join(dir, "b", "2.png"), filepath.Join(dir, "b", "linked.png")))

	pool := must.M1(Open(dir, Options{Invert: "no"}))
	// by bytes: "-" before "/"
	names := []string{"a/colour.png", "a/deep.jpeg", "b-a/x.png", "b/10.PNG", "b/2.png", "b/linked.png"}
	if !slices.Equal(pool.Names, names) || pool.Len() != 6 || pool.D != 28*28 || pool.Height != 28 || pool.Width != 28 {
		t.Errorf("names %q, %d points of %d", pool.Names, pool.Len(), pool.D)
	}
	if !slices.Equal(pool.Classes, []string{"a", "b-a", "b"}) || !slices.Equal(pool.Labels, []int32{0, 0, 1, 2, 2, 2}) {
		t.Errorf("classes %q, labels %v", pool.Classes, pool.Labels)
	}
	want := []string{
		"folder of images: 6 images of 2×2 to 2×4 pixels", "6 images scaled to 28×28 pixels",
		"labels from the names of 3 sub-folders",
		"2 other files skipped: b/notes.txt, link",
	}
	if !slices.Equal(pool.Notes, want) {
		t.Errorf("notes\n%s\nwant\n%s", strings.Join(pool.Notes, "\n"), strings.Join(want, "\n"))
	}

	linked := filepath.Join(t.TempDir(), "to")
	must.M(os.Symlink(dir, linked))
	if again, err := Open(linked, Options{Invert: "no"}); err != nil ||
		!slices.Equal(again.X, pool.X) {
		t.Errorf("through a link to the folder: %v", err)
	}
}

func TestFolderLabels(t *testing.T) {
	for _, names := range [][]string{{"x.png"}, {"a/x.png", "y.png"}, {"a/b/x.png", "a/y.png"}} {
		if labels, classes := folderLabels(names); labels != nil || classes != nil {
			t.Errorf("%q: %v %q, want no labels", names, labels, classes)
		}
	}
}

func TestFolderFaults(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir, Options{})
	wantUserError(t, err, dir, "holds no PNG or JPEG image (0 other files)")
	write(t, pngBytes(greyImage(1, 1)), dir, "a.png")
	bad := write(t, []byte("x"), dir, "b.png")
	_, err = Open(dir, Options{})
	wantUserError(t, err, bad)
	must.M(os.Remove(bad))
	must.M(os.Symlink(filepath.Join(dir, "gone"), bad)) // a dead link is another file
	pool := must.M1(Open(dir, Options{}))
	if !slices.Contains(pool.Notes, "1 other file skipped: b.png") {
		t.Errorf("with a dead link: %q", pool.Notes)
	}
}

func TestInvert(t *testing.T) {
	dir := t.TempDir()
	const middle = 14*28 + 14
	for name, paper := range map[string]byte{"1.png": 255, "2.png": 51} { // a black dot on white, and on grey
		pixels := bytes.Repeat([]byte{paper}, 28*28)
		pixels[middle] = 0
		write(t, pngBytes(greyImage(28, 28, pixels...)), dir, name)
	}
	// the mean border is (1 + 0.2)/2
	for invert, want := range map[string]bool{"": true, "auto": true, "yes": true, "no": false} {
		pool := must.M1(Open(dir, Options{Invert: invert}))
		if dot := pool.Point(0)[middle]; (dot == 1) != want {
			t.Errorf("%q: the dot is %v", invert, dot)
		}
		last := pool.Notes[len(pool.Notes)-1]
		if noted := strings.HasSuffix(last, "(mean of the borders before: 0.60)"); noted != want {
			t.Errorf("%q: notes %q", invert, pool.Notes)
		}
		mixed := len(pool.Warnings) == 1 && strings.HasPrefix(pool.Warnings[0], "1 of 2 images have bright borders")
		if automatic := invert == "" || invert == "auto"; mixed != automatic {
			t.Errorf("%q: warnings %q", invert, pool.Warnings)
		}
	}
	must.M(os.Remove(filepath.Join(dir, "1.png")))
	if pool := must.M1(Open(dir, Options{})); pool.X[middle] != 0 || len(pool.Warnings) > 0 {
		t.Errorf("a dark border was inverted: %v, %q", pool.X, pool.Warnings)
	}
	if pool := must.M1(Open(dir, Options{Invert: "yes"})); pool.X[middle] != 1 {
		t.Errorf("the order to invert was not obeyed: %v", pool.X)
	}
}

// The name of a file may say that tabs separate the cells; an empty cell between two tabs keeps its place.
func TestOpenTable(t *testing.T) {
	o := Options{}
	o.LabelColumn, o.Columns = "kind", []string{"1", "y"}
	path := write(t, []byte("x,z,w\tc\ty\tkind\n1\t9\t-2\tb\n300\t\t4\ta\n1\t9\t2\tb\n"), t.TempDir(), "p.TSV")
	pool, err := Open(path, o)
	if err != nil || !slices.Equal(pool.X, []float32{1, -2, 300, 4, 1, 2}) || pool.IsImages() || pool.Name != path ||
		!slices.Equal(pool.Labels, []int32{0, 1, 0}) || !slices.Equal(pool.Classes, []string{"b", "a"}) ||
		pool.Summary() != "table: 3 points" || pool.Notes != nil || pool.Names != nil {
		t.Errorf("%+v %v", pool, err)
	}
}

// Kinds of files that are not read are refused with what to write in their place; images are not read from arrays.
func TestOpenFaults(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"a.png":              {[]byte("x"), "is a single image"},
		"a.bin":              {[]byte("x\x00"), "the file is binary data, not text"},
		"a.xlsx":             {[]byte("x"), "is a spreadsheet; convert it: python3 -c"},
		"b.xls":              {[]byte("\xd0\xcf\x11\xe0"), "is a spreadsheet; convert it: python3 -c"},
		"c.ods":              {[]byte("x,y\n"), "is a spreadsheet; convert it: python3 -c"},
		"broken.csv.gz":      {[]byte("\x1f\x8b\x08"), "gzip data is damaged"},
		"not-really-gz.idx1": {[]byte("\x1f\x8bxxxxxxxxxxxx"), "gzip data is damaged"},
		"a.npz":              {[]byte("PK\x03\x04"), "is an archive of arrays; take one out: python3 -c"},
		"a.zip":              {[]byte("PK\x03\x04"), "is an archive; unpack it and name the file"},
		"a.safetensors":      {[]byte("x"), "holds tensors; save the vectors"},
		"tensors":            {append(little.AppendUint64(nil, 2), "{}"...), "the file is binary data"},
		"train-images-ubyte": {[]byte("x"), "is an IDX file; give a folder of PNG"},
		"one.npy":            {npyBytes("|u1", false, "2,", 1, 2), "has 1 dimension (2); save vectors [M,D]"},
		"images.npy":         {npyBytes("|u1", false, "1, 1, 2", 1, 2), "images are read from a folder"},
	} {
		path := write(t, test.raw, dir, name)
		_, err := Open(path, Options{})
		wantUserError(t, err, path, test.want)
	}
	for want, o := range map[string]Options{
		`Invert "maybe"`: {Invert: "maybe"},
		`Header "maybe"`: {Header: "maybe"},

		`'"' cannot separate cells; use a comma, a semicolon or a tab`: {Comma: '"'},
		`'#' cannot separate cells`:                                    {Comma: '#'},
		`'\n' cannot separate cells`:                                   {Comma: '\n'},
		`'�' cannot separate cells`:                                    {Comma: -1},
	} {
		_, err := Open(dir, o)
		wantUserError(t, err, want)
	}
}
