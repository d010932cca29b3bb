//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// pythonWith is a Python that has a package, "" without one. GFNCP_PYTHON names it; else that of the system is tried
// after the first on the PATH.
func pythonWith(pkg string) string {
	commands := []string{"python3", "/usr/bin/python3"}
	if named := os.Getenv("GFNCP_PYTHON"); named != "" {
		commands = []string{named}
	}
	for _, command := range commands {
		if exec.Command(command, "-c", "import "+pkg).Run() == nil {
			return command
		}
	}
	return ""
}

// python runs a script of the Python package with this test binary as gfncp.
func python(t *testing.T, command string, args ...string) (output string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = docsRoot
	cmd.Env = append(os.Environ(), "GFNCP_BIN="+executable(t.TempDir()), "PYTHONDONTWRITEBYTECODE=1")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", args, err, text)
	}
	return string(text)
}

// The tests of python/tests pass.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python many times")
	}
	t.Parallel()
	command := pythonWith("sklearn")
	if command == "" {
		t.Skip("no Python with scikit-learn: install python3-sklearn, or name one in GFNCP_PYTHON")
	}
	text := python(t, command, "-W", "error::ResourceWarning", "-m", "unittest", "discover", "-s", "python/tests")
	ran := regexp.MustCompile(`Ran (\d+) tests`).FindStringSubmatch(text)
	if ran == nil || must.M1(strconv.Atoi(ran[1])) < 18 {
		t.Errorf("too few tests ran:\n%s", text)
	}
}

// The example draws its picture.
func TestPythonExample(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	command := pythonWith("sklearn, matplotlib")
	if command == "" {
		t.Skip("no Python with scikit-learn and matplotlib: install python3-matplotlib")
	}
	t.Setenv("PYTHONPATH", "python")
	picture := filepath.Join(t.TempDir(), "python.png")
	text := python(t, command, "python/examples/penguins.py", picture)
	info, err := os.Stat(picture)
	if err != nil || info.Size() < 50_000 || !strings.Contains(text, "3 clusters by model mixture") {
		t.Errorf("%v\n%s", err, text)
	}
}
