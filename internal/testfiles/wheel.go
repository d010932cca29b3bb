package testfiles

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Wheel writes a wheel, made of files by their names, for a platform such as manylinux_2_27_x86_64, and returns its
// path. Nothing in it is compressed.
func Wheel(tb testing.TB, platform string, files map[string][]byte) string {
	tb.Helper()
	const about = "example-1.dist-info/"
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	add := func(name string, content []byte) {
		header := &zip.FileHeader{Name: name, Method: zip.Store}
		header.SetMode(0o755)
		w, err := archive.CreateHeader(header)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	record := ""
	for name, content := range files {
		add(name, content)
		sum := sha256.Sum256(content)
		record += fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(content))
	}
	add(about+"WHEEL", []byte("Wheel-Version: 1.0\nTag: py3-none-"+platform+"\n"))
	add(about+"RECORD", []byte(record+about+"RECORD,,\n"))
	if err := archive.Close(); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "example-1-py3-none-"+platform+".whl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}
