package gpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func environment(t *testing.T, script string, variables ...string) map[string]string {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on this machine")
	}
	list := filepath.Join(t.TempDir(), "list.sh")
	must.M(os.WriteFile(list, []byte("env\n"), 0o644))
	cmd := exec.Command("bash", script, list)
	cmd.Env = append(os.Environ(), append([]string{
		"LD_LIBRARY_PATH=/kept", "XLA_FLAGS=", "PJRT_PLUGIN_LIBRARY_PATH=", "BACKEND=", "GFNCP=",
	}, variables...)...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", variables, err, text)
	}
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		env[name] = value
	}
	return env
}

// Every list is bash, and asks for tests of benchmarks/xla that there are.
func TestLists(t *testing.T) {
	known := ""
	for _, file := range must.M1(filepath.Glob("../xla/*_test.go")) {
		known += string(must.M1(os.ReadFile(file)))
	}
	asked := regexp.MustCompile(`\bTest\w+`).FindAllString(string(must.M1(os.ReadFile("first.sh"))), -1)
	for _, name := range asked {
		if !strings.Contains(known, "func "+name+"(t ") {
			t.Errorf("there is no test %s", name)
		}
	}
	if len(asked) < 6 {
		t.Errorf("%d tests", len(asked))
	}
	for _, list := range must.M1(filepath.Glob("*.sh")) {
		if out, err := exec.Command("bash", "-n", list).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", list, err, out)
		}
	}
}

// A step is done once. One that fails is tried again by the next call, and its log is kept. In the end all is packed.
func TestSteps(t *testing.T) {
	script := must.M1(filepath.Abs("run.sh"))
	t.Chdir(t.TempDir())
	list := "step a 9s sh -c 'echo once >>a'\nstep b 9s sh -c 'echo said; test -e ready'\n"
	must.M(os.WriteFile("list.sh", []byte(list), 0o644))
	call := func() error {
		cmd := exec.Command("bash", script, "list.sh")
		cmd.Env = append(os.Environ(), "GFNCP=/bin/true", "BACKEND=go", "PACK=.", "BUDGET=1m")
		return cmd.Run()
	}
	if err := call(); err == nil {
		t.Error("a step that failed gives status 0")
	}
	must.M(os.WriteFile("ready", nil, 0o644))
	must.M(call())
	a, log := must.M1(os.ReadFile("a")), must.M1(os.ReadFile("results/b.log"))
	if string(a) != "once\n" || string(log) != "said\nsaid\n" {
		t.Errorf("a: %q, log of b: %q", a, log)
	}
	out, err := exec.Command("tar", "-tzf", "state.tar.gz.aa").Output()
	if err != nil || !strings.Contains(string(out), "results/b.done") {
		t.Errorf("packed: %v\n%s", err, out)
	}
}

// The plugin of a Python environment is taken unless another one, or the processor, is asked for, with the libraries
// beside it; nothing may be downloaded.
func TestRunFindsThePlugin(t *testing.T) {
	script := must.M1(filepath.Abs("run.sh"))
	t.Chdir(t.TempDir())
	packages := filepath.Join(t.TempDir(), "lib/python3.12/site-packages")
	plugin := filepath.Join(packages, "jax_plugins/xla_cuda13/xla_cuda_plugin.so")
	device := filepath.Join(packages, "nvidia/cu13/nvvm/libdevice/libdevice.10.bc")
	for _, file := range []string{
		plugin, device, filepath.Join(packages, "nvidia/cu13/lib/libcublas.so.13"),
		filepath.Join(packages, "nvidia/cudnn/lib/libcudnn.so.9"),
	} {
		must.M(os.MkdirAll(filepath.Dir(file), 0o755))
		must.M(os.WriteFile(file, nil, 0o644))
	}
	for _, test := range []struct{ variable, asked, backend string }{
		{"PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(plugin), "", "xla:" + plugin},
		{"PJRT_PLUGIN_LIBRARY_PATH=/nowhere:" + plugin, "", "xla:" + plugin},
		{"VIRTUAL_ENV=" + filepath.Join(packages, "../../.."), "", "xla:" + plugin},
		{"A=b", plugin, "xla:" + plugin},
		{"A=b", plugin + ",tf32=true", "xla:" + plugin + ",tf32=true"},
		{
			"PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(plugin), "xla:cuda,allocator=bfc",
			"xla:" + plugin + ",allocator=bfc",
		},
		{"PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(plugin), "go", "go"},
	} {
		env := environment(t, script, "GFNCP=/bin/true", "BACKEND="+test.asked, test.variable)
		if got := env["GOMLX_BACKEND"]; got != test.backend {
			t.Errorf("%s, %q: backend %s, want %s", test.variable, test.asked, got, test.backend)
		}
		libraries := filepath.Join(packages, "nvidia/cudnn/lib") + ":" +
			filepath.Join(packages, "nvidia/cu13/lib") + ":/kept"
		flag := "--xla_gpu_cuda_data_dir="
		if test.asked == "go" {
			libraries, flag = "/kept", ""
		}
		if !strings.HasSuffix(env["LD_LIBRARY_PATH"], libraries) || !strings.HasPrefix(env["XLA_FLAGS"], flag) ||
			(flag == "") != (env["XLA_FLAGS"] == "") {
			t.Errorf("%s, %q: LD_LIBRARY_PATH %q, XLA_FLAGS %q", test.variable, test.asked, env["LD_LIBRARY_PATH"],
				env["XLA_FLAGS"])
		}
		if env["TF_CPP_MIN_LOG_LEVEL"] != "1" || env["GODEBUG"] != "asyncpreemptoff=1" {
			t.Errorf("%s: environment %v", test.variable, env)
		}
	}
}

// A bundle unpacks its binaries once, and what an earlier call left; other bytes than were packed are refused.
func TestRunUnpacks(t *testing.T) {
	for _, tool := range []string{"xz", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not on this machine", tool)
		}
	}
	bundle, work := t.TempDir(), t.TempDir()
	script := filepath.Join(bundle, "run.sh")
	shell := fmt.Sprintf(`cp run.sh '%[1]s' && cp /bin/true '%[1]s/gfncp' && cp /bin/true '%[1]s/xla.test' && cd '%[1]s' &&
		for f in gfncp xla.test; do sha256sum <$f >$f.sha256 && xz $f || exit; done &&
		mkdir state && echo kept >'%[2]s/kept.txt' && tar -C '%[2]s' -czf state/state.tar.gz.aa kept.txt && rm '%[2]s/kept.txt'`, bundle, work)
	if out, err := exec.Command("sh", "-c", shell).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(work)
	for range 2 {
		env := environment(t, script, "BACKEND=go")
		if env["GFNCP"] != filepath.Join(bundle, "gfncp") {
			t.Errorf("gfncp %s", env["GFNCP"])
		}
		if err := exec.Command(env["XLA_TEST"]).Run(); err != nil {
			t.Errorf("the tests of benchmarks/xla, %s: %v", env["XLA_TEST"], err)
		}
		if text, err := os.ReadFile("kept.txt"); string(text) != "kept\n" {
			t.Errorf("the earlier call left %q, %v", text, err)
		}
	}
	must.M(os.Remove(filepath.Join(bundle, "gfncp")))
	must.M(os.WriteFile(filepath.Join(bundle, "gfncp.sha256"), []byte("other\n"), 0o644))
	cmd := exec.Command("bash", script, "list.sh")
	cmd.Env = append(os.Environ(), "BACKEND=go", "GFNCP=")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "make the bundle again") {
		t.Errorf("other bytes: %v\n%s", err, out)
	}
}
