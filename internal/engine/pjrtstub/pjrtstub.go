// Package pjrtstub gives tests a PJRT plugin that needs no device: go-xla loads it as it loads XLA's CUDA plugin, and
// it checks and interprets the programs that it gets. It shows that a program is valid StableHLO, computes the right
// numbers and moves the expected bytes; it says nothing about XLA's compiler or speed.
//
// The plugin itself is package main in plugin/, the interpreter stablehlo/. Use:
//
//	backend := must.M1(must.M1(engine.Choose("xla:" + pjrtstub.Plugin(t))).Open())
package pjrtstub

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ErrNoCompiler tells that a machine cannot build the plugin: it has no C compiler or no go command.
var ErrNoCompiler = errors.New("no C compiler or go command")

// Plugin returns the absolute path of the plugin, which it builds once a process. The test is skipped where no C
// compiler is.
func Plugin(tb testing.TB) string {
	tb.Helper()
	path, err := once()
	if errors.Is(err, ErrNoCompiler) {
		tb.Skipf("the PJRT plugin without a device cannot be built here: %v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

var once = sync.OnceValues(build)

// build makes the plugin in the user's cache. Its name says cuda, so that all takes the paths of a GPU. The file is
// replaced as a whole: processes that have loaded the one before keep it.
func build() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "gfncp", "pjrtstub")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("keep the PJRT plugin: %w", err)
	}
	path := filepath.Join(folder, "pjrt_c_api_cuda_stub_plugin.so")
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer func() { _ = os.Remove(part) }()
	if err := Build(part); err != nil {
		return "", err
	}
	if err := os.Rename(part, path); err != nil {
		return "", fmt.Errorf("keep the PJRT plugin: %w", err)
	}
	return path, nil
}

// Build compiles the plugin into a file; the working directory must lie in this module. Where that cannot be done the
// error is ErrNoCompiler.
func Build(path string) error {
	compiler, err := run("go", "env", "CC", "CGO_ENABLED")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoCompiler, err)
	}
	words := strings.Fields(compiler)
	if len(words) != 2 || words[1] != "1" {
		return fmt.Errorf("%w: go env CC CGO_ENABLED says %q", ErrNoCompiler, words)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return fmt.Errorf("%w: %w", ErrNoCompiler, err)
	}
	xla, err := run("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla")
	if err != nil {
		return fmt.Errorf("find the header of PJRT: %w", err)
	}
	header := filepath.Join(strings.TrimSpace(xla), "pjrt")
	build := exec.Command("go", "build", "-tags", "pjrtstub", "-buildmode=c-shared", "-o", path,
		"github.com/gfncp/gfncp/internal/engine/pjrtstub/plugin")
	build.Env = append(os.Environ(), "CGO_CFLAGS=-O2 -I"+header)
	out, err := build.CombinedOutput()
	_ = os.Remove(path + ".h") // what cgo leaves beside a library, under either name
	_ = os.Remove(strings.TrimSuffix(path, filepath.Ext(path)) + ".h")
	if err != nil {
		return fmt.Errorf("build the PJRT plugin: %w\n%s", err, out)
	}
	return nil
}

func run(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	return string(out), err
}
