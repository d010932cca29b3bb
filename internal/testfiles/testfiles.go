// Package testfiles writes files that tests of several packages read, and checks the faults of files.
package testfiles

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Packed packs bytes as gzip does.
func Packed(raw []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.M1(w.Write(raw))
	must.M(w.Close())
	return b.Bytes()
}

// Write creates a file with its folders and returns its path.
func Write(tb testing.TB, content []byte, parts ...string) string {
	tb.Helper()
	path := filepath.Join(parts...)
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	must.M(os.WriteFile(path, content, 0o644))
	return path
}

// NPY is numbers as an .npy file of version 1 (NEP 1); the padding to 64 bytes is left out.
func NPY(descr, shape string, numbers any) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", descr, shape)
	raw := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	return must.M1(binary.Append(append(raw, header...), binary.LittleEndian, numbers))
}

// Features writes points x [n,d] as an .npy file, and their labels, if there are any, beside it.
func Features(tb testing.TB, path string, x []float32, d int, labels []int32) {
	tb.Helper()
	Write(tb, NPY("<f4", fmt.Sprint(len(x)/d, ", ", d), x), path)
	beside := strings.TrimSuffix(path, ".npy") + "-labels.npy"
	must.M(os.RemoveAll(beside))
	if labels != nil {
		Write(tb, NPY("<i4", fmt.Sprint(len(labels), ","), labels), beside)
	}
}

// WantUserError checks that err is a fault of the user with all the words.
func WantUserError(tb testing.TB, err error, words ...string) {
	tb.Helper()
	if !usererr.Is(err) {
		tb.Errorf("got %v, want a user's fault with %q", err, words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			tb.Errorf("got %q, want it to name %q", err, word)
		}
	}
}

// WantFault checks that err is a fault of the user with exactly this text.
func WantFault(tb testing.TB, err error, text string) {
	tb.Helper()
	if err == nil || err.Error() != text || !usererr.Is(err) {
		tb.Errorf("got  %v\nwant %s", err, text)
	}
}

// Images writes a folder of eight PNG images of 28×28 pixels, a bright square each, and returns its path. The folder
// goes with the test.
func Images(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range 8 {
		img := image.NewGray(image.Rect(0, 0, 28, 28))
		for p := range 64 {
			img.SetGray(4+i+p%8, 4+2*i+p/8, color.Gray{Y: byte(180 + 3*p%70)})
		}
		var b bytes.Buffer
		must.M(png.Encode(&b, img))
		Write(tb, b.Bytes(), dir, strconv.Itoa(i)+".png")
	}
	return dir
}
