// Package testfiles writes files that tests of several packages read.
package testfiles

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// Images writes eight images of 28×28 pixels, a bright square each, as numpy.save would (NEP 1), and returns the path
// of the file, which goes with the test.
func Images(tb testing.TB) string {
	tb.Helper()
	header := "{'descr': '|u1', 'fortran_order': False, 'shape': (8, 28, 28), }\n"
	raw := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	raw = append(raw, header...)
	pixels := make([]byte, 8*28*28)
	for i := range 8 {
		for p := range 64 {
			pixels[i*28*28+(4+2*i+p/8)*28+4+i+p%8] = byte(180 + 3*p%70)
		}
	}
	path := filepath.Join(tb.TempDir(), "images.npy")
	if err := os.WriteFile(path, append(raw, pixels...), 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}
