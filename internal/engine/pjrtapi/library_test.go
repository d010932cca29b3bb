//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// faulty builds a shared library that is no usable plugin, at a path: where GetPjrtApi is asked for, it returns a table
// of the given version that has no functions but the first few. The test is skipped where no C compiler is.
func faulty(t testing.TB, path string, getPjrtAPI bool, major, minor int) {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a faulty plugin with")
	}
	source := "int something;\n"
	if getPjrtAPI {
		source = fmt.Sprintf(`
static struct { unsigned long size; void* extensions; unsigned long version_size; void* version_extensions;
  int major, minor; void* functions[3]; } api = {sizeof api, 0, 24, 0, %d, %d};
void* GetPjrtApi(void) { return &api; }
`, major, minor)
	}
	file := filepath.Join(t.TempDir(), "plugin.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", path, file).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", path, err, out)
	}
}
