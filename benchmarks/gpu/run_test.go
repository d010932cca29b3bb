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

	"github.com/gfncp/gfncp/benchmarks/parity"
	"github.com/gfncp/gfncp/sweep"
)

// Every list can be planned, and asks for parity cases that there are.
func TestLists(t *testing.T) {
	lists := must.M1(filepath.Glob("*.toml"))
	if len(lists) != 4 {
		t.Fatalf("lists %v", lists)
	}
	named := regexp.MustCompile(`--case "([^"]*)"`)
	cases := 0
	for _, path := range lists {
		plan := must.M1(must.M1(sweep.ReadSpec(path)).Plan("small"))
		for _, j := range plan.Jobs {
			if j.Command == nil || !strings.Contains(j.Command.Line, " ") {
				t.Errorf("%s: job %s is no command", path, j.Name)
				continue
			}
			for _, match := range named.FindAllStringSubmatch(j.Command.Line, -1) {
				must.M1(parity.Find(match[1]))
				cases++
			}
		}
	}
	if cases < 10 {
		t.Errorf("%d parity cases", cases)
	}
}

// fake writes a gfncp that prints its arguments and its environment, a line each, and returns its path.
func fake(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gfncp")
	must.M(os.WriteFile(path, []byte("#!/bin/sh\necho \"args $*\"\nenv\n"), 0o755))
	return path
}

// environment runs run.sh with variables and returns what the fake gfncp found.
func environment(t *testing.T, script string, variables ...string) (args string, env map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on this machine")
	}
	cmd := exec.Command("bash", script, "first.toml", "--budget", "9m")
	cmd.Env = append(os.Environ(), append([]string{
		"LD_LIBRARY_PATH=/kept", "XLA_FLAGS=", "PJRT_PLUGIN_LIBRARY_PATH=",
		"BACKEND=", "GFNCP=",
	}, variables...)...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", variables, err, text)
	}
	env = map[string]string{}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "args "); found {
			args = strings.TrimSpace(rest)
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		env[name] = value
	}
	return args, env
}

// The plugin of a Python environment is taken unless another one, or the processor, is asked for, with the libraries
// beside it; nothing may be downloaded.
func TestRunFindsThePlugin(t *testing.T) {
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
	gfncp := fake(t)
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
		args, env := environment(t, "run.sh", "GFNCP="+gfncp, "BACKEND="+test.asked, test.variable)
		if want := "sweep first.toml --budget 9m --backend " + test.backend; args != want {
			t.Errorf("%s, %q: gfncp %s, want %s", test.variable, test.asked, args, want)
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

// A bundle unpacks its binary once, and what an earlier call left; other bytes than were packed are refused.
func TestRunUnpacks(t *testing.T) {
	for _, tool := range []string{"xz", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not on this machine", tool)
		}
	}
	bundle, work := t.TempDir(), t.TempDir()
	script := filepath.Join(bundle, "run.sh")
	shell := fmt.Sprintf(`cp run.sh '%[1]s' && cp '%[2]s' '%[1]s/gfncp' && cd '%[1]s' && sha256sum <gfncp >gfncp.sha256 && xz gfncp &&
		mkdir compiled && echo one >compiled/1.program && tar -C compiled -c . | xz >compiled.tar.xz && rm -r compiled &&
		mkdir state && echo kept >'%[3]s/kept.txt' && tar -C '%[3]s' -czf state/sweep.tar.gz kept.txt && rm '%[3]s/kept.txt'`, bundle, fake(t), work)
	if out, err := exec.Command("sh", "-c", shell).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(work)
	for range 2 {
		args, env := environment(t, script, "BACKEND=go")
		if args != "sweep first.toml --budget 9m --backend go" ||
			env["GFNCP_WEIGHTS"] != bundle+"/../../pretrained/weights" {
			t.Errorf("gfncp %s, weights in %s", args, env["GFNCP_WEIGHTS"])
		}
		text, err := os.ReadFile(filepath.Join(env["GFNCP_COMPILED"], "1.program"))
		if env["GFNCP_COMPILED"] != bundle+"/compiled" || string(text) != "one\n" {
			t.Errorf("compiled programs in %s: %q, %v", env["GFNCP_COMPILED"], text, err)
		}
		if text, err := os.ReadFile("kept.txt"); string(text) != "kept\n" {
			t.Errorf("the earlier call left %q, %v", text, err)
		}
	}
	must.M(os.Remove(filepath.Join(bundle, "gfncp")))
	must.M(os.WriteFile(filepath.Join(bundle, "gfncp.sha256"), []byte("other\n"), 0o644))
	cmd := exec.Command("bash", script, "first.toml")
	cmd.Env = append(os.Environ(), "BACKEND=go", "GFNCP=")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "make the bundle again") {
		t.Errorf("other bytes: %v\n%s", err, out)
	}
}
