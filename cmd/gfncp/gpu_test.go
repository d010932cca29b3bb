package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/programs"
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
		executable, found := programs.AheadIn(dir).Get(strings.TrimSuffix(p.File, programs.Suffix))
		if !found || len(executable) != p.Size || p.Size < 1000 || p.Peak <= 0 ||
			!strings.Contains(out, p.Name) || p.Kernels < 10 || p.Bytes < 1e5 || *p.Float32 < *p.TF32 {
			t.Errorf("%+v: %v", p, found)
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

// As programs are recorded, a training goes to its end, and its products are those of a card: exact, or on demand
// TF32's.
func TestHollowRuns(t *testing.T) {
	must.M(pjrtapi.StandIn(hollowCUDA, xlatest.Plugin(t)))
	a := &aheadCompiler{context: t.Context(), seen: map[pjrtapi.Program]bool{}}
	names := []string{
		"weight folding", "gradient of data", "optimizer", "encoder of whole sets", "decoding loop", "decoding loop",
		"decoding loop", "validation of data",
	}
	for i, precision := range []string{"HIGHEST", "DEFAULT"} {
		found, count, err := a.record(narrowRuns()[i])
		if err != nil || len(found) == 0 || count.New != len(found) {
			t.Errorf("%d programs, %+v, %v", len(found), count, err)
		}
		for n, p := range found {
			if i == 0 && p.Name() != names[n] {
				t.Errorf("program %q, want %q", p.Name(), names[n])
			}
			products := strings.Count(p.Code, "stablehlo.dot_general")
			if got := strings.Count(p.Code, "#stablehlo<precision "+precision+">"); got != 2*products {
				t.Errorf("%s: %d products, %d operands of precision %s", p.Name(), products, got, precision)
			}
		}
	}
	if again, count, _ := a.record(narrowRuns()[0]); len(again) != 0 || count.Programs != len(names) {
		t.Errorf("the second time: %d new programs, %+v", len(again), count)
	}
}

// The decoding loop's status says that it has reached its limit, its third whole number, with one cluster a sequence.
func TestLoopEnd(t *testing.T) {
	const head = "module @decoding_loop_1 {\n  func.func @main("
	const limited = "%a: tensor<i32>, %b: tensor<8x4xf32>, %c: tensor<i32>, %d: tensor<i32>) -> " +
		"(tensor<9xf32>, tensor<i32>) {"
	got := firstResult(pjrtapi.Program{Code: head + limited})
	for _, want := range []string{`convert"(%d) :`, "dense<1.0> : tensor<8xf32>", "-> tensor<9xf32>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	for _, code := range []string{
		head + "%a: tensor<i32>) -> (tensor<9xf32>) {", "module @optimizer_1 {\n  func.func @main(" + limited,
	} {
		if got := firstResult(pjrtapi.Program{Code: code}); got != "" {
			t.Errorf("%s: %s", code, got)
		}
	}
}

// A folder for executables that cannot be made or written is named in one line before anything is compiled.
func TestGPUCompileBadOut(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{
		"cuda/xla_cuda_plugin.so", "cpu/pjrt_c_api_cpu_plugin.so", "bin/ptxas", "bin/nvlink",
		"nvvm/libdevice/libdevice.10.bc",
	} {
		must.M(os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755))
		must.M(os.WriteFile(filepath.Join(dir, file), nil, 0o755))
	}
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", dir+"/cuda:"+dir+"/cpu")
	file := filepath.Join(dir, "file")
	must.M(os.WriteFile(file, []byte("kept"), 0o600))
	bad := []string{file, filepath.Join(file, "below")}
	if runtime.GOOS == "linux" {
		bad = append(bad, "/proc", "/proc/none")
	}
	for _, out := range bad {
		t.Setenv("XLA_FLAGS", toolsFlag+dir)
		stdout, stderr, status := gfncp("gpu", "compile", "--out", out)
		if status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, out) {
			t.Errorf("%s: status %d, %q, %q", out, status, stdout, stderr)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
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
