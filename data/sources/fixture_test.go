package sources

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/testfiles"
)

var (
	npyBytes      = testfiles.NPY
	packed        = testfiles.Packed
	write         = testfiles.Write
	wantUserError = testfiles.WantUserError
)

// idxBytes writes an IDX file of unsigned bytes.
func idxBytes(dims []uint32, values ...byte) []byte {
	raw := []byte{0, 0, 8, byte(len(dims))}
	return append(must.M1(binary.Append(raw, binary.BigEndian, dims)), values...)
}

// tinyData is a data set of two training images and one test image of 1×2 pixels, and its files' contents by name.
func tinyData(mirrors ...string) (data.Descriptor, map[string][]byte) {
	contents := map[string][]byte{
		"train-images-idx3-ubyte": idxBytes([]uint32{2, 1, 2}, 0, 255, 51, 102),
		"train-labels-idx1-ubyte": idxBytes([]uint32{2}, 1, 0),
		"t10k-images-idx3-ubyte":  idxBytes([]uint32{1, 1, 2}, 3, 4),
		"t10k-labels-idx1-ubyte":  idxBytes([]uint32{1}, 1),
	}
	f := func(name string) data.File {
		return data.File{
			Name: name, Size: int64(len(contents[name])), SHA256: fmt.Sprintf("%x", sha256.Sum256(contents[name])),
		}
	}
	return data.Descriptor{
		Name: "tiny", Folder: "tiny-folder", Classes: []string{"a", "b"}, Shape: data.Images, Mirrors: mirrors,
		Height: 1, Width: 2,
		Files: map[string]data.Files{
			data.SplitTrain: {Images: f("train-images-idx3-ubyte"), Labels: f("train-labels-idx1-ubyte")},
			data.SplitTest:  {Images: f("t10k-images-idx3-ubyte"), Labels: f("t10k-labels-idx1-ubyte")},
		},
	}, contents
}

// wantIs checks that err wraps target.
func wantIs(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("got %v, want one that wraps %q", err, target)
	}
}
