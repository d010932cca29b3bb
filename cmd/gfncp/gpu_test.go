package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// A training's programs, decoding and validation among them, compile for a GPU that is not there, and a file that
// describes none is named.
func TestGPUCompile(t *testing.T) {
	cuda := os.Getenv("GFNCP_TEST_CUDA_PLUGIN")
	if cuda == "" {
		t.Skip("no CUDA plugin: GFNCP_TEST_CUDA_PLUGIN names xla_cuda_plugin.so, with ptxas in ../../nvidia/cu13/bin")
	}
	plugins := xlatest.Plugin(t) + string(filepath.ListSeparator) + cuda
	compile := func(args ...string) (stdout, stderr string, status int) {
		args = append([]string{"gpu", "compile"}, args...)
		cmd := exec.CommandContext(t.Context(), must.M1(os.Executable()), args...)
		cmd.Env = append(os.Environ(), asProgram+"=1", "PJRT_PLUGIN_LIBRARY_PATH="+plugins)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	dir := t.TempDir()
	out, stderr, status := compile("--narrow", "--out", dir)
	if status != exitDone {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var manifest aheadManifest
	must.M(json.Unmarshal(must.M1(os.ReadFile(filepath.Join(dir, "manifest.json"))), &manifest))
	for _, p := range manifest.Programs {
		info, err := os.Stat(filepath.Join(dir, p.File))
		if err != nil || info.Size() != int64(p.Size) || p.Size < 1000 || p.Peak <= 0 ||
			!strings.Contains(out, p.Name) || p.Kernels < 10 || p.Bytes < 1e5 || *p.Float32 < *p.TF32 {
			t.Errorf("%+v: %v", p, err)
		}
		if loop := p.Name == "decoding loop"; loop != (p.Loops == 1) {
			t.Errorf("%s has %d loops of unknown length", p.Name, p.Loops)
		}
		if products := p.Name != "optimizer"; products != (p.Operations > 1e6) {
			t.Errorf("%s has %g operations", p.Name, p.Operations)
		}
	}
	if len(manifest.Programs) < 5 {
		t.Errorf("%d programs: %s", len(manifest.Programs), out)
	}
	broken := filepath.Join(dir, "broken.txtpb")
	must.M(os.WriteFile(broken, []byte("cores { many }\n"), 0o600))
	if _, stderr, status := compile("--target", broken); status != exitUsage || !strings.Contains(stderr, broken) {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// What is missing is named in one line, with the remedy.
func TestGPUCompileMissing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", dir)
	t.Setenv("XLA_FLAGS", "")
	for _, want := range []string{"no PJRT plugin for CUDA found", "ptxas: is missing"} {
		_, stderr, status := gfncp("gpu", "compile")
		if status != exitUsage || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) ||
			!strings.Contains(stderr, "--install-pjrt") {
			t.Errorf("status %d: %q; want %q", status, stderr, want)
		}
		must.M(os.WriteFile(filepath.Join(dir, "xla_cuda_plugin.so"), nil, 0o600))
	}
	if _, stderr, status := gfncp("gpu", "compile", "--target", "tpu"); status != exitUsage ||
		!strings.Contains(stderr, "a100, b200, h100") {
		t.Errorf("status %d: %q", status, stderr)
	}
}

// What ptxas says of spilled registers is added up, and reaches its caller, as its status does.
func TestSpilledRegisters(t *testing.T) {
	folder := t.TempDir()
	must.M(os.MkdirAll(filepath.Join(folder, "bin"), 0o755))
	says := "#!/bin/sh\necho \"0 bytes stack frame, 12 bytes spill stores, 40 bytes spill loads $*\" >&2\nexit 3\n"
	must.M(os.WriteFile(filepath.Join(folder, "bin/ptxas"), []byte(says), 0o755))
	tools := gpuTools{folder: must.M1(standBefore(folder))}
	defer tools.close()
	for range 2 {
		out, err := exec.Command(filepath.Join(tools.folder, "bin/ptxas"), "a b", "c").CombinedOutput()
		if err == nil || err.Error() != "exit status 3" || !strings.HasSuffix(string(out), "loads a b c -v\n") {
			t.Errorf("%v: %s", err, out)
		}
	}
	for _, want := range []int{24, 0} {
		if got := must.M1(tools.spilled()); got != want {
			t.Errorf("%d bytes, want %d", got, want)
		}
	}
}
