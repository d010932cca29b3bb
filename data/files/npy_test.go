package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// npyBytes writes an .npy file of version 1 by hand, as NEP 1 describes it; the padding to 64 bytes is left out.
func npyBytes(descr string, fortran bool, shape string, values ...byte) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	return npyWith(1,
		fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, order, shape), values...)
}

// npyWith writes an .npy file with any header text.
func npyWith(version byte, header string, values ...byte) []byte {
	raw := append([]byte(npyMagic), version, 0)
	if version == 1 {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(len(header)))
	} else {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(len(header)))
	}
	return append(append(raw, header...), values...)
}

// bytesOf writes numbers in a byte order.
func bytesOf(order binary.ByteOrder, numbers any) []byte {
	return must.M1(binary.Append(nil, order, numbers))
}

func TestReadNPY(t *testing.T) {
	for _, test := range []struct {
		descr, shape string
		numbers      any
		want         []float32
	}{
		{"<f4", "2, 2", []float32{1, -2.5, 3, 1e30}, []float32{1, -2.5, 3, 1e30}},
		{">f4", "1, 2", []float32{1, -2.5}, []float32{1, -2.5}},
		{"<f2", "2", []uint16{0x3c00, 0xc100}, []float32{1, -2.5}},
		{"<f8", "2", []float64{0.1, 7}, []float32{0.1, 7}},
		{">f8", "1, 1", []float64{-0.1}, []float32{-0.1}},
		{"|u1", "1, 1, 3", []uint8{0, 128, 255}, []float32{0, 128, 255}},
		{"|b1", "2", []bool{false, true}, []float32{0, 1}},
		{"|i1", "2", []int8{-1, 1}, []float32{-1, 1}},
		{">i2", "2", []int16{-2, 256}, []float32{-2, 256}},
		{"<u2", "2", []uint16{65535, 1}, []float32{65535, 1}},
		{"<i4", "2", []int32{-70000, 5}, []float32{-70000, 5}},
		{">u4", "1", []uint32{1 << 31}, []float32{1 << 31}},
		{"<i8", "2", []int64{-3, 1 << 40}, []float32{-3, 1 << 40}},
		{"<u8", "1", []uint64{1 << 63}, []float32{1 << 63}},
	} {
		order := binary.ByteOrder(little)
		if test.descr[0] == '>' {
			order = binary.BigEndian
		}
		raw := npyBytes(test.descr, false, test.shape, bytesOf(order, test.numbers)...)
		wantNPY(t, test.descr, raw, test.shape, test.want)
	}
	halves := "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2L, 1L)}   \n" // as Python 2 may write it
	for _, version := range []byte{2, 3} {
		raw := npyWith(version, halves, bytesOf(little, []float32{0.5, 2})...)
		wantNPY(t, fmt.Sprint("version ", version), raw, "2, 1", []float32{0.5, 2})
	}
	wantNPY(t, "Fortran", npyBytes("|u1", true, "2, 3", 0, 10, 1, 11, 2, 12), "2, 3", []float32{0, 1, 2, 10, 11, 12})
}

func wantNPY(t *testing.T, name string, raw []byte, shape string, want []float32) {
	t.Helper()
	a, err := readNPY("f.npy", bytes.NewReader(raw))
	if err != nil || dimsText(a.shape) != strings.ReplaceAll(shape, ", ", "×") || !slices.Equal(a.values, want) {
		t.Errorf("%s: %v %v, %v", name, a.shape, a.values, err)
	}
}

// npyArray is the content of an .npy file; the last dimension varies fastest.
type npyArray struct {
	shape  []int
	values []float32
}

// readNPY reads an array of any shape.
func readNPY(path string, r io.Reader) (a npyArray, err error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return a, of(path, err)
	}
	values, err := readNumbers[float32](r, h)
	return npyArray{h.shape, values}, of(path, err)
}

// TestReadNPYLong reads more than one chunk, with an odd rest.
func TestReadNPYLong(t *testing.T) {
	const n = 20001
	numbers := make([]uint16, n)
	for i := range numbers {
		numbers[i] = uint16(i)
	}
	a, err := readNPY("f.npy",
		bytes.NewReader(npyBytes("<u2", false, fmt.Sprint(n), bytesOf(binary.LittleEndian, numbers)...)))
	if err != nil || len(a.values) != n {
		t.Fatal(len(a.values), err)
	}
	for i, v := range a.values {
		if v != float32(i) {
			t.Fatalf("value %d is %v", i, v)
		}
	}
}

func TestNPYFaults(t *testing.T) {
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"empty":       {nil, "not an .npy file"},
		"wrong magic": {[]byte("a,b\n1,2\n3,4\n"), "not an .npy file"},
		"version":     {npyWith(9, "x"), "format version 9;"},
		"header cut":  {npyBytes("<f4", false, "2")[:30], "cut short in its header"},
		"huge header": {append([]byte(npyMagic), 2, 0, 0xff, 0xff, 0xff, 0xff), "claims a header of 4294967295 bytes"},
		"no shape":    {npyWith(1, "{'descr': '<f4', 'fortran_order': False}"), "cannot be understood"},
		"bad shape":   {npyBytes("<f4", false, "2, x"), "has the shape (2, x)"},
		"negative":    {npyBytes("<f4", false, "2, -1"), "has the shape (2, -1)"},
		"records": {
			npyWith(1, "{'descr': [('shape', '<f4')], 'fortran_order': False, 'shape': (1,), }"),
			"holds records",
		},
		"objects":      {npyBytes("|O", false, "1"), `type "|O"`},
		"text":         {npyBytes("<U3", false, "1"), `holds text (<U3), not numbers`},
		"long text":    {npyBytes("<U99999", false, "1"), `type "<U99999"`},
		"quad":         {npyBytes("<f16", false, "1"), `type "<f16"`},
		"complex":      {npyBytes("<c8", false, "1"), `type "<c8"`},
		"no values":    {npyBytes("<f4", false, "0, 3"), "has the shape 0×3"},
		"absurd":       {npyBytes("<f4", false, "4000000000, 4000000000"), "has the shape 4000000000×4000000000"},
		"claims a lot": {npyBytes("<f8", false, "30000, 30000", 1, 2, 3), "cut short: 0 of 30000×30000 values"},
		"cut":          {npyBytes("<u2", false, "3", 1, 0, 2, 0, 3), "cut short: 2 of 3 values"},
		"too many":     {npyBytes("|u1", false, "2", 1, 2, 3), "more than the 2 values"},
		"not finite":   {npyBytes("<f4", false, "1", 0, 0, 0x80, 0x7f), "value 0 is +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			wantLittleMemory(t, func() {
				_, err := readNPY("some/f.npy", bytes.NewReader(test.raw))
				wantUserError(t, err, "some/f.npy: ", test.want)
			})
		})
	}
}

// FuzzNPY: whatever the bytes, there is either an array as large as its shape says, or a fault of the user.
func FuzzNPY(f *testing.F) {
	f.Add([]byte(npyMagic))
	f.Add(npyBytes("<f4", true, "1, 2", 0, 0, 0, 0, 0, 0, 128, 63))
	f.Add(npyBytes("|u1", false, ""))
	f.Add(npyWith(2, "{'descr': '<i8', 'fortran_order': False, 'shape': (99999999, 9), }"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := readNPY("f.npy", bytes.NewReader(raw))
		n, ok := product(a.shape)
		switch {
		case err != nil && !usererr.Is(err):
			t.Errorf("%v is no fault of the user", err)
		case err == nil && (!ok || n != len(a.values)):
			t.Errorf("shape %v of %d values", a.shape, len(a.values))
		}
	})
}

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
