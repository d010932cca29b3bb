package files

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/safetensors"
)

var little = binary.LittleEndian

// entry is an .npy file in an archive.
type entry struct {
	name string
	raw  []byte
}

// npzBytes makes an archive; its entries are packed.
func npzBytes(entries ...entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		must.M1(must.M1(w.Create(e.name)).Write(e.raw))
	}
	must.M(w.Close())
	return b.Bytes()
}

// tensorBytes makes a .safetensors file.
func tensorBytes(metadata map[string]string, tensors ...safetensors.Tensor) []byte {
	var b bytes.Buffer
	must.M(safetensors.Encode(&b, &safetensors.File{Metadata: metadata, Tensors: tensors}))
	return b.Bytes()
}

// wide is a text array of the archive format, n code points each.
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
	brainX  = []uint16{0x3f00, 0xc000, 0x3f80, 0x4060, 0xbe80, 0, 0x4100, 0x3e00} // the upper halves of the float32
	namesY  = wide(3, "cat", "ünü", "cat", "dog")
)

// numbersOf converts sampleX.
func numbersOf[T float32 | float64 | int8](scale float32) []T {
	var values []T
	for _, v := range sampleX {
		values = append(values, T(v*scale))
	}
	return values
}

// featureFiles are the files that hold the numbers of sampleCSV, by name.
func featureFiles() map[string][]byte {
	f4 := npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...)
	f8 := npyBytes(">f8", false, "4, 2", bytesOf(binary.BigEndian, numbersOf[float64](1))...)
	fortran := npyBytes("<f4", true, "4, 2", bytesOf(little, []float32{0.5, 1, -0.25, 8, -2, 3.5, 0, 0.125})...)
	half := npyBytes("<f2", false, "4, 2", bytesOf(little, halfX)...)
	bytesY := npyBytes("|S5", false, "4,", []byte("cat\x00\x00ünücat\x00\x00dog\x00\x00")...)
	classes := wide(3, "cat", "ünü", "dog")
	index := npyBytes("<i8", false, "4,", bytesOf(little, []int64{0, 1, 0, 2})...)
	tensor := func(name, dtype string, shape []int, values any) safetensors.Tensor {
		return safetensors.Tensor{Name: name, DType: dtype, Shape: shape, Data: bytesOf(little, values)}
	}
	meta := map[string]string{"classes": `["cat","ünü","dog"]`}
	return map[string][]byte{
		"names.npz":   npzBytes(entry{"features.npy", f4}, entry{"labels.npy", namesY}),
		"x-y.npz":     npzBytes(entry{"y.npy", namesY}, entry{"X.npy", f8}),
		"fortran.npz": npzBytes(entry{"x.npy", fortran}, entry{"targets.npy", bytesY}),
		"half.npz": npzBytes(entry{"embeddings.npy", half}, entry{"labels.npy", index},
			entry{"classes.npy", classes}),
		"only.npz": npzBytes(entry{"arr_0.npy", f4}, entry{"arr_1.npy", namesY}),
		"classes.npz": npzBytes(entry{"data.npy", f4}, entry{"labels.npy", index},
			entry{"class_names.npy", classes}),
		"f32.safetensors": tensorBytes(meta, tensor("features", "F32", []int{4, 2}, sampleX),
			tensor("labels", "I64", []int{4}, []int64{0, 1, 0, 2})),
		"f64.safetensors": tensorBytes(meta, tensor("x", "F64", []int{4, 2}, numbersOf[float64](1)),
			tensor("y", "U8", []int{4}, []uint8{0, 1, 0, 2})),
		"f16.safetensors": tensorBytes(meta, tensor("emb", "F16", []int{4, 2}, halfX),
			tensor("cls", "I16", []int{4}, []int16{0, 1, 0, 2})),
		"bf16.safetensors": tensorBytes(meta, tensor("embeddings", "BF16", []int{4, 2}, brainX),
			tensor("targets", "I32", []int{4}, []int32{0, 1, 0, 2})),
	}
}

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

// Every kind of file, type of number and way to name arrays gives the pool of the CSV table with the same numbers.
func TestFeatureFiles(t *testing.T) {
	dir := t.TempDir()
	pool, err := Open(write(t, []byte(sampleCSV), dir, "p.csv"), DefaultOptions())
	wantSample(t, "CSV", pool, err)
	for name, raw := range featureFiles() {
		for _, name := range []string{name, name + ".renamed"} { // the content tells the kind, too
			path := write(t, raw, dir, name)
			pool, err := Open(path, DefaultOptions())
			wantSample(t, name, pool, err)
			if err != nil {
				continue
			}
			if pool.Name != path || pool.IsImages() || pool.LabelsFrom == "" ||
				!slices.Equal(pool.Columns, []string{"x1", "x2"}) || pool.Names != nil ||
				pool.Notes != nil || pool.Warnings != nil {
				t.Errorf("%s: pool %s, %+v", name, pool.Name, pool)
			}
			o := DefaultOptions()
			o.NoLabels = true
			if pool, err := Open(path, o); err != nil || pool.Labels != nil ||
				pool.Classes != nil || pool.LabelsFrom != "" || len(pool.X) != 8 {
				t.Errorf("%s without labels: %+v %v", name, pool, err)
			}
		}
	}
}

// Metadata of other programs that have the same key are passed over.
func TestForeignMetadata(t *testing.T) {
	x := must.M1(safetensors.FromFloat32s("features", []int{4, 2}, sampleX))
	y := safetensors.Tensor{Name: "labels", DType: "U8", Shape: []int{4}, Data: []byte{5, 7, 5, 9}}
	path := write(t, tensorBytes(map[string]string{"classes": "cat, dog"}, x, y), t.TempDir(), "f.safetensors")
	pool, err := Open(path, DefaultOptions())
	if err != nil || !slices.Equal(pool.Classes, []string{"5", "7", "9"}) ||
		len(pool.Warnings) != 1 || !strings.Contains(pool.Warnings[0], `"classes"`) {
		t.Errorf("%+v %+v %v", pool, pool, err)
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

// The rules by which arrays are found, and their faults; each message lists what is there.
func TestArrayChoice(t *testing.T) {
	f4 := npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...)
	whole := npyBytes("<i4", false, "4, 2", make([]byte, 32)...)
	ids, other := npyBytes("<i8", false, "4,", bytesOf(little, []int64{7, 9, 7, 5})...),
		npyBytes("<u2", false, "4,", make([]byte, 8)...)
	weights := npyBytes("<f8", false, "4,", make([]byte, 32)...)
	objects := npyBytes("|O", false, "4,")
	for name, test := range map[string]struct {
		entries         []entry
		features, label string // what --columns and --labels name
		want            string
	}{
		"two features": {
			[]entry{{"x", f4}, {"data", f4}},
			"", "",
			`several arrays could be the features: x <f4 (4×2), data <f4 (4×2); call the right one "features", ` +
				`or name it with --columns`,
		},
		"two floats": {
			[]entry{{"a", f4}, {"b", f4}},
			"", "", "several arrays could be the features: a <f4 (4×2), b <f4 (4×2)",
		},
		"two labels": {
			[]entry{{"x", f4}, {"a", ids}, {"b", other}},
			"", "",
			`several arrays could be the labels: a <i8 (4), b <u2 (4); call the right one "labels", ` +
				`or name it with --labels`,
		},
		"no vectors": {
			[]entry{{"y", ids}, {"counts", whole}},
			"", "", "holds no array of vectors: y <i8 (4), counts <i4 (4×2)",
		},
		"length": {
			[]entry{{"x", f4}, {"y", npyBytes("|u1", false, "3,", 1, 2, 3)}},
			"", "", "the labels y |u1 (3) do not fit the 4 vectors of x",
		},
		"objects": {[]entry{{"x", objects}}, "", "", `the array x holds values of type "|O"`},
		"unknown column": {
			[]entry{{"x", f4}},
			"z", "", `no array is named "z": it holds x <f4 (4×2); use one of them in --columns`,
		},
		"no vectors named": {[]entry{{"x", f4}, {"y", ids}}, "y", "", "y <i8 (4) are no vectors"},
		"float labels":     {[]entry{{"x", f4}, {"w", weights}}, "", "w", "the labels w <f8 (4) are neither"},
		"object labels":    {[]entry{{"x", f4}, {"w", objects}}, "", "w", `the array w holds values of type "|O"`},
		"features twice":   {[]entry{{"x", whole}}, "", "x", "the array x holds the features"},
		"empty text": {
			[]entry{{"x", f4}, {"y", wide(2, "a", "", "b", "c")}},
			"", "", "the array y value 1 is an empty text",
		},
		"beyond classes": {
			[]entry{{"x", f4}, {"y", ids}, {"classes", wide(1, "a", "b")}},
			"", "", "label 7 is none of the 2 classes in classes",
		},
	} {
		var entries []entry
		for _, e := range test.entries {
			entries = append(entries, entry{e.name + ".npy", e.raw})
		}
		o := DefaultOptions()
		o.LabelColumn = test.label
		if test.features != "" {
			o.Columns = []string{test.features}
		}
		path := write(t, npzBytes(entries...), t.TempDir(), "a.npz")
		_, err := Open(path, o)
		if err == nil {
			t.Errorf("%s: no fault", name)
			continue
		}
		wantUserError(t, err, path+": ", test.want)
	}
	// By name, integers count as features, and every ambiguity is solved. What is not read is named.
	o := DefaultOptions()
	o.Columns, o.LabelColumn = []string{"counts"}, "b"
	path := write(t, npzBytes(entry{"x.npy", f4}, entry{"counts.npy", whole},
		entry{"a.npy", ids}, entry{"b.npy", other}, entry{"w.npy", objects}), t.TempDir(), "a.npz")
	pool, err := Open(path, o)
	if err != nil || pool.X[0] != 0 || !slices.Equal(pool.Classes, []string{"0"}) ||
		len(pool.Warnings) != 4 || pool.Warnings[2] != "the array w (cannot be read) is not read" {
		t.Errorf("%+v %+v %v", pool, pool, err)
	}
	// Floats of one dimension are no labels by themselves, integers keep all their digits.
	big := npyBytes("<i8", false, "4,", bytesOf(little, []int64{1 << 53, 1<<53 + 1, -5, 1 << 53})...)
	pool, err = Open(write(t, npzBytes(entry{"x.npy", f4}, entry{"y.npy", weights}, entry{"id.npy", big}),
		t.TempDir(), "a.npz"), DefaultOptions())
	if err != nil || !slices.Equal(pool.Labels, []int32{0, 1, 2, 0}) || pool.Classes[1] != "9007199254740993" ||
		!slices.Equal(pool.Warnings, []string{"the array y <f8 (4) is not read"}) {
		t.Errorf("%+v %+v %v", pool, pool, err)
	}
}
