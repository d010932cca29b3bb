package files

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// checkFile reads content as a file of the given name. There is a whole input of finite numbers, or a fault of the user
// in one line that names the file.
func checkFile(t *testing.T, path string, content []byte) {
	t.Helper()
	must.M(os.WriteFile(path, content, 0o644))
	read := openName(path)
	in, err := Open(read, Options{})
	if err != nil {
		if !usererr.Is(err) || strings.ContainsAny(err.Error(), "\r\n") || !strings.HasPrefix(err.Error(), read) {
			t.Fatalf("no one-line user fault of %s: %q", read, err)
		}
		return
	}
	checkInput(t, in)
	if len(in.Columns) != in.D && !in.IsImages() {
		t.Fatalf("columns %q of %d numbers", in.Columns, in.D)
	}
}

// checkInput checks that points, labels, names and lines fit together: finite numbers, lines in order, and labels in
// order of first appearance where the file is text.
func checkInput(t *testing.T, in *Input) {
	t.Helper()
	n, opened := in.Len(), int32(0)
	if n < 1 || in.D < 1 || len(in.X) != n*in.D {
		t.Fatalf("%d points of %d numbers, %d in all", n, in.D, len(in.X))
	}
	for i, v := range in.X {
		if !(math.Abs(float64(v)) <= math.MaxFloat32) || in.IsImages() && !(v >= 0 && v <= 1) {
			t.Fatalf("number %d is %v", i, v)
		}
	}
	for _, length := range []int{len(in.Labels), len(in.Names), len(in.Lines)} {
		if length != 0 && length != n {
			t.Fatalf("%d labels, %d names and %d lines of %d points", len(in.Labels), len(in.Names), len(in.Lines), n)
		}
	}
	if !slices.IsSorted(in.Lines) || in.Lines != nil && in.Lines[0] < 1 {
		t.Fatalf("lines %v", in.Lines)
	}
	for _, l := range in.Labels {
		if l < 0 || l > opened {
			t.Fatalf("labels %v are not in order of first appearance", in.Labels)
		}
		opened = max(opened, l+1)
	}
	if len(in.Classes) != int(opened) {
		t.Fatalf("%d classes of %d labels", len(in.Classes), opened)
	}
}

// fuzzFile reads any bytes as a file of this name, from the seeds, whole and cut short.
func fuzzFile(f *testing.F, name string, seeds ...[]byte) {
	for _, content := range seeds {
		f.Add(content)
		f.Add(content[:len(content)/2])
	}
	path := filepath.Join(f.TempDir(), name)
	f.Fuzz(func(t *testing.T, raw []byte) { checkFile(t, path, raw) })
}

// FuzzParquet reads any bytes as a Parquet table.
func FuzzParquet(f *testing.F) {
	fuzzFile(f, "f.parquet", slices.Collect(maps.Values(parquetFiles()))...)
}

// FuzzNPY reads any bytes as an array.
func FuzzNPY(f *testing.F) {
	fuzzFile(f, "f.npy", npyBytes("<f4", true, "1, 2", 0, 0, 0, 0, 0, 0, 128, 63), npyBytes("|u1", false, ""),
		npyWith(2, "{'descr': '<i8', 'fortran_order': False, 'shape': (99999999, 9), }"))
}

// FuzzPacked reads any bytes, unpacked if they begin as gzip data does, as a table.
func FuzzPacked(f *testing.F) {
	fuzzFile(f, "f.csv.gz", packed([]byte(sampleCSV)),
		packed(npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...)),
		append(packed([]byte("1,2\n")), packed([]byte("3,4\n"))...), // two members
		packed(bytes.Repeat([]byte("1,2\n"), 5000)), []byte(sampleCSV))
}

// FuzzPicture reads any bytes as a folder of one picture.
func FuzzPicture(f *testing.F) {
	colour := image.NewNRGBA(image.Rect(0, 0, 5, 4))
	colour.SetNRGBA(2, 1, color.NRGBA{255, 0, 10, 99})
	palette := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	var photo, grey bytes.Buffer
	must.M(jpeg.Encode(&photo, colour, nil))
	must.M(jpeg.Encode(&grey, greyImage(2, 2, 1, 2, 3, 4), nil))
	fuzzFile(f, "f.png", pngBytes(greyImage(1, 3, 0, 77, 255)), pngBytes(colour), pngBytes(palette), photo.Bytes(),
		grey.Bytes())
}
