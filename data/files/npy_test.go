package files

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
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
		descr   string
		numbers any
		want    []float32
	}{
		{"<f4", []float32{1, -2.5, 3, 1e30}, []float32{1, -2.5, 3, 1e30}},
		{">f4", []float32{1, -2.5}, []float32{1, -2.5}},
		{"<f2", []uint16{0x3c00, 0xc100}, []float32{1, -2.5}},
		{"<f8", []float64{0.1, 7}, []float32{0.1, 7}},
		{">f8", []float64{-0.1}, []float32{-0.1}},
		{"|u1", []uint8{0, 128, 255}, []float32{0, 128, 255}},
		{"|b1", []bool{false, true}, []float32{0, 1}},
		{"|i1", []int8{-1, 1}, []float32{-1, 1}},
		{">i2", []int16{-2, 256}, []float32{-2, 256}},
		{"<u2", []uint16{65535, 1}, []float32{65535, 1}},
		{"<i4", []int32{-70000, 5}, []float32{-70000, 5}},
		{">u4", []uint32{1 << 31}, []float32{1 << 31}},
		{"<i8", []int64{-3, 1 << 40}, []float32{-3, 1 << 40}},
		{"<u8", []uint64{1 << 63}, []float32{1 << 63}},
	} {
		order := binary.ByteOrder(little)
		if test.descr[0] == '>' {
			order = binary.BigEndian
		}
		raw := npyBytes(test.descr, false, fmt.Sprint("1, ", len(test.want)), bytesOf(order, test.numbers)...)
		wantNPY(t, test.descr, raw, 1, test.want)
	}
	halves := "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 1)}   \n"
	for _, version := range []byte{2, 3} {
		raw := npyWith(version, halves, bytesOf(little, []float32{0.5, 2})...)
		wantNPY(t, fmt.Sprint("version ", version), raw, 2, []float32{0.5, 2})
	}
	wantNPY(t, "Fortran", npyBytes("|u1", true, "2, 3", 0, 10, 1, 11, 2, 12), 2, []float32{0, 1, 2, 10, 11, 12})
	const n = 20001 // more than one chunk, with an odd rest
	numbers, want := make([]uint16, n), make([]float32, n)
	for i := range numbers {
		numbers[i], want[i] = uint16(i), float32(i)
	}
	wantNPY(t, "long", npyBytes("<u2", false, fmt.Sprint("1, ", n), bytesOf(little, numbers)...), 1, want)
}

func wantNPY(t *testing.T, name string, raw []byte, rows int, want []float32) {
	t.Helper()
	in, err := Open(write(t, raw, t.TempDir(), "f.npy"), Options{})
	if err != nil || in.Len() != rows || !slices.Equal(in.X, want) {
		t.Errorf("%s: %+v, %v", name, in, err)
	}
}

func TestNPYFaults(t *testing.T) {
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"empty":        {nil, "not an .npy file"},
		"wrong magic":  {[]byte("a,b\n1,2\n3,4\n"), "not an .npy file"},
		"version":      {npyWith(9, "x"), "cannot be understood"},
		"header cut":   {npyBytes("<f4", false, "2")[:30], "cut short in its header"},
		"huge header":  {append([]byte(npyMagic), 2, 0, 0xff, 0xff, 0xff, 0xff), "cut short in its header"},
		"no shape":     {npyWith(1, "{'descr': '<f4', 'fortran_order': False}"), "cannot be understood"},
		"bad shape":    {npyBytes("<f4", false, "2, x"), "has the shape (2, x)"},
		"negative":     {npyBytes("<f4", false, "2, -1"), "has the shape (2, -1)"},
		"objects":      {npyBytes("|O", false, "1"), `type "|O"`},
		"text":         {npyBytes("<U1", false, "1, 1", 65, 0, 0, 0), "holds text, not numbers"},
		"long text":    {npyBytes("<U99999", false, "1"), "cut short: 0 of 1 values"},
		"no text":      {npyBytes("<U99999999999999999999", false, "1"), "holds values of type"},
		"no values":    {npyBytes("<f4", false, "0, 3"), "has the shape (0, 3)"},
		"absurd":       {npyBytes("<f4", false, "4000000000, 4000000000"), "has the shape (4000000000, 4000000000)"},
		"claims a lot": {npyBytes("<f8", false, "30000, 30000", 1, 2, 3), "cut short: 0 of 30000×30000 values"},
		"cut":          {npyBytes("<u2", false, "1, 3", 1, 0, 2, 0, 3), "cut short: 2 of 1×3 values"},
		"too many":     {npyBytes("|u1", false, "1, 2", 1, 2, 3), "more than the 1×2 values"},
		"not finite":   {npyBytes("<f4", false, "1, 1", 0, 0, 0x80, 0x7f), "value 0 is +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, test.raw, t.TempDir(), "f.npy")
			wantLittleMemory(t, func() {
				_, err := Open(path, Options{})
				wantUserError(t, err, path, test.want)
			})
		})
	}
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

// The four points of sampleCSV.
const sampleCSV = "a,b,label\n0.5,-2,cat\n1,3.5,ünü\n-0.25,0,cat\n8,0.125,dog\n"

var (
	sampleX = []float32{0.5, -2, 1, 3.5, -0.25, 0, 8, 0.125}
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

// Labels of vectors in one .npy file lie beside it.
func TestNPYLabelsBeside(t *testing.T) {
	dir := t.TempDir()
	path := write(t, npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...), dir, "v.npy")
	if pool, err := Open(path, Options{}); err != nil || pool.Labels != nil || pool.LabelsFrom != "" {
		t.Errorf("without labels: %+v %v", pool, err)
	}
	beside := write(t, namesY, dir, "v-labels.npy")
	pool, err := Open(path, Options{})
	wantSample(t, "with labels", pool, err)
	if pool.LabelsFrom != "v-labels.npy" {
		t.Errorf("labels from %q", pool.LabelsFrom)
	}
	write(t, npyBytes("|S5", false, "4,", []byte("cat\x00\x00ünücat\x00\x00dog\x00\x00")...), beside)
	pool, err = Open(path, Options{})
	wantSample(t, "with labels in bytes", pool, err)
	write(t, npyBytes("<i8", false, "4,", bytesOf(little, []int64{1 << 53, 1<<53 + 1, -5, 1 << 53})...), beside)
	pool = must.M1(Open(path, Options{}))
	if !slices.Equal(pool.Labels, []int32{0, 1, 2, 0}) || pool.Classes[1] != "9007199254740993" { // all digits
		t.Errorf("labels %v of %q", pool.Labels, pool.Classes)
	}
	for want, raw := range map[string][]byte{
		"3 labels for the 4 points of v.npy": npyBytes("|u1", false, "3,", 1, 2, 3),
		"has the shape 2×2":                  npyBytes("|u1", false, "2, 2", 1, 2, 3, 4),
		"labels must be integers or text":    npyBytes("<f4", false, "1,", 0, 0, 0, 0),
		"not an .npy file":                   []byte("1,2,3,4\n"),
	} {
		write(t, raw, beside)
		_, err := Open(path, Options{})
		wantUserError(t, err, beside, want)
	}
}
