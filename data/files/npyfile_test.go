package files

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

var little = binary.LittleEndian

// wide is a text array of NumPy, n code points each.
func wide(n int, texts ...string) []byte {
	raw := make([]byte, 4*n*len(texts))
	for i, text := range texts {
		for j, r := range []rune(text) {
			little.PutUint32(raw[4*(n*i+j):], uint32(r))
		}
	}
	return npyBytes(fmt.Sprintf("<U%d", n), false, fmt.Sprint(len(texts), ","), raw...)
}

// The four points of sampleCSV. All fit half precision.
const sampleCSV = "a,b,label\n0.5,-2,cat\n1,3.5,ünü\n-0.25,0,cat\n8,0.125,dog\n"

var (
	sampleX = []float32{0.5, -2, 1, 3.5, -0.25, 0, 8, 0.125}
	halfX   = []uint16{0x3800, 0xc000, 0x3c00, 0x4300, 0xb400, 0, 0x4800, 0x3000} // IEEE 754 binary16, by hand
	namesY  = wide(3, "cat", "ünü", "cat", "dog")
)

// wantSample checks that a pool is that of sampleCSV.
func wantSample(t *testing.T, name string, got *Input, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !slices.Equal(got.X, sampleX) || got.D != 2 || !slices.Equal(got.Labels, []int32{0, 1, 0, 2}) ||
		!slices.Equal(got.Classes, []string{"cat", "ünü", "dog"}) {
		t.Errorf("%s: %+v", name, got)
	}
}

// Every type of number, order and type of label gives the pool of the CSV table with the same numbers.
func TestNPYFiles(t *testing.T) {
	pool, err := Open(write(t, []byte(sampleCSV), t.TempDir(), "p.csv"), DefaultOptions())
	wantSample(t, "CSV", pool, err)
	var wideX []float64
	for _, v := range sampleX {
		wideX = append(wideX, float64(v))
	}
	bytesY := npyBytes("|S5", false, "4,", []byte("cat\x00\x00ünücat\x00\x00dog\x00\x00")...)
	for name, test := range map[string]struct{ x, y []byte }{
		"f4": {npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...), namesY},
		"f8": {npyBytes(">f8", false, "4, 2", bytesOf(binary.BigEndian, wideX)...), bytesY},
		"f2": {npyBytes("<f2", false, "4, 2", bytesOf(little, halfX)...), namesY},
		"fortran": {
			npyBytes("<f4", true, "4, 2", bytesOf(little, []float32{0.5, 1, -0.25, 8, -2, 3.5, 0, 0.125})...), namesY,
		},
	} {
		dir := t.TempDir()
		write(t, test.y, dir, "v-labels.npy")
		pool, err := Open(write(t, test.x, dir, "v.npy"), DefaultOptions())
		wantSample(t, name, pool, err)
	}
}

// Labels of vectors in one .npy file lie beside it.
func TestNPYLabelsBeside(t *testing.T) {
	dir := t.TempDir()
	path := write(t, npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...), dir, "v.npy")
	if pool, err := Open(path, DefaultOptions()); err != nil || pool.Labels != nil || pool.LabelsFrom != "" {
		t.Errorf("without labels: %+v %v", pool, err)
	}
	beside := write(t, namesY, dir, "v-labels.npy")
	pool, err := Open(path, DefaultOptions())
	wantSample(t, "with labels", pool, err)
	if pool.LabelsFrom != "v-labels.npy" {
		t.Errorf("labels from %q", pool.LabelsFrom)
	}
	for want, raw := range map[string][]byte{
		"3 labels for the 4 points of v.npy": npyBytes("|u1", false, "3,", 1, 2, 3),
		"has the shape 2×2":                  npyBytes("|u1", false, "2, 2", 1, 2, 3, 4),
		"labels must be integers or text":    npyBytes("<f4", false, "1,", 0, 0, 0, 0),
		"not an .npy file":                   []byte("1,2,3,4\n"),
	} {
		write(t, raw, beside)
		_, err := Open(path, DefaultOptions())
		wantUserError(t, err, beside, want)
	}
}

// Integers as labels keep all their digits.
func TestNPYWideLabels(t *testing.T) {
	dir := t.TempDir()
	big := npyBytes("<i8", false, "4,", bytesOf(little, []int64{1 << 53, 1<<53 + 1, -5, 1 << 53})...)
	write(t, big, dir, "v-labels.npy")
	path := write(t, npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...), dir, "v.npy")
	pool := must.M1(Open(path, Options{}))
	if !slices.Equal(pool.Labels, []int32{0, 1, 2, 0}) || pool.Classes[1] != "9007199254740993" {
		t.Errorf("labels %v of %q", pool.Labels, pool.Classes)
	}
}
