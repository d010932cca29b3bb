package files

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/safetensors"
)

// features is a pool whose classes are not in order of appearance; one of them has no point.
func features() *data.Pool {
	return &data.Pool{
		Name: "f", D: 2, X: []float32{1, 2, 3, -4.5, 1e-30, 6}, Labels: []int32{2, 0, 2},
		Classes: []string{"cat", "ünü €", "dog"},
	}
}

// What is written comes back, with the classes' names and numbers, with or without labels; the same pool gives the
// same bytes.
func TestWriteFeatures(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"f.npz", "f.safetensors", "F.NPZ"} {
		for _, labelled := range []bool{true, false} {
			want := features()
			if !labelled {
				want.Labels, want.Classes = nil, nil
			}
			path := filepath.Join(dir, name)
			must.M(WriteFeatures(path, want))
			first := must.M1(os.ReadFile(path))
			got, err := Open(path, DefaultOptions())
			if err != nil || !slices.Equal(got.X, want.X) || got.D != 2 || !slices.Equal(got.Labels, want.Labels) ||
				!slices.Equal(got.Classes, want.Classes) || got.Warnings != nil {
				t.Errorf("%s: %+v %+v %v", name, got, got, err)
			}
			must.M(WriteFeatures(path, want))
			if !bytes.Equal(first, must.M1(os.ReadFile(path))) {
				t.Errorf("%s: other bytes the second time", name)
			}
		}
	}
	if entries := must.M1(os.ReadDir(dir)); len(entries) != 3 {
		t.Errorf("files left: %v", entries)
	}
	path := filepath.Join(dir, "f.csv")
	wantUserError(t, WriteFeatures(path, features()), path, "end the name in .npz or .safetensors")
	broken := features()
	broken.Labels[0] = 3
	for _, p := range []*data.Pool{broken, {Name: "none", D: 2}} {
		if err := WriteFeatures(filepath.Join(dir, "new.npz"), p); err == nil {
			t.Errorf("the pool %s is written", p.Name)
		}
	}
}

// The bytes obey the format's rules, which numpy.load goes by (NEP 1): the header ends at a multiple of 64 with a
// line feed, is padded with spaces and holds a Python dictionary with these three keys; text is UTF-32 filled up with
// zeros. Entries are stored and not packed, as numpy.savez leaves them.
func TestNPZBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.npz")
	must.M(WriteFeatures(path, features()))
	archive := must.M1(zip.OpenReader(path))
	defer func() { must.M(archive.Close()) }()
	want := map[string]string{
		"features.npy": "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
		"labels.npy":   "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }",
		"classes.npy":  "{'descr': '<U5', 'fortran_order': False, 'shape': (3,), }",
	}
	sizes := map[string]int{"features.npy": 3 * 2 * 4, "labels.npy": 3 * 8, "classes.npy": 3 * 5 * 4}
	if len(archive.File) != len(want) {
		t.Errorf("%d entries", len(archive.File))
	}
	for _, f := range archive.File {
		var b bytes.Buffer
		must.M1(b.ReadFrom(must.M1(f.Open())))
		raw := b.Bytes()
		length := int(little.Uint16(raw[8:]))
		header := string(raw[10 : 10+length])
		if string(raw[:8]) != "\x93NUMPY\x01\x00" || (10+length)%64 != 0 ||
			strings.TrimRight(header, " \n") != want[f.Name] ||
			!strings.HasSuffix(header, " \n") || len(raw) != 10+length+sizes[f.Name] || f.Method != zip.Store {
			t.Errorf("%s: method %d, header of %d bytes %q, %d bytes in all",
				f.Name, f.Method, length, header, len(raw))
		}
		// ü is U+00FC
		if values := raw[10+length:]; f.Name == "classes.npy" && string(values[20:24]) != "\xfc\x00\x00\x00" {
			t.Errorf("the second name begins with % x", values[20:24])
		}
	}
}

// The tensors are those that the documentation names.
func TestTensorNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.safetensors")
	must.M(WriteFeatures(path, features()))
	file := must.M1(safetensors.ReadFile(path))
	x, _ := file.Tensor("features")
	y, _ := file.Tensor("labels")
	if x.DType != "F32" || !slices.Equal(x.Shape, []int{3, 2}) || y.DType != "I64" ||
		!slices.Equal(y.Shape, []int{3}) || file.Metadata["classes"] != `["cat","ünü €","dog"]` {
		t.Errorf("%+v", file)
	}
}
