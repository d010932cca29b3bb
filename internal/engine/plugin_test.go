package engine

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFindPlugin(t *testing.T) {
	for _, test := range []struct {
		file      string
		cuda, cpu bool // found as
	}{
		{"pjrt_c_api_cuda_plugin.so", true, false},
		{"pjrt_c_api_cuda13_plugin.so", true, false},
		{"pjrt-plugin-cuda.so", true, false},
		{"pjrt_plugin_cuda.so", true, false},
		{"xla_cuda_plugin.so", true, false},
		{"pjrt_c_api_cpu_plugin.so", false, true},
		{"pjrt_c_api_cpu_plugin.dylib", false, true},
		{"pjrt-plugin-cpu.so", false, true},
		{"xla_cpu_pjrt.so", false, true},
		{"xla_cpu_plugin.so", false, false},
		{"libcuda.so", false, false},
		{"pjrt_c_api_cpu_plugin.so.bak", false, false},
	} {
		t.Run(test.file, func(t *testing.T) {
			path := putPlugin(t, noPlugins(t), test.file)
			want := map[string]string{}
			if test.cuda {
				want["cuda"] = path
			}
			if test.cpu {
				want["cpu"] = path
			}
			if got := Plugins(); !maps.Equal(got, want) {
				t.Errorf("Plugins() = %v, want %v", got, want)
			}
		})
	}
}

// The packages of PyPI for the processor are found where pip puts them.
func TestFindPluginOfProcessor(t *testing.T) {
	for _, file := range []string{
		"xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
	} {
		env := t.TempDir()
		t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "")
		t.Setenv("LD_LIBRARY_PATH", "")
		t.Setenv("HOME", t.TempDir())
		noPython(t)
		t.Setenv("VIRTUAL_ENV", env)
		path := filepath.Join(env, "lib/python3.12/site-packages", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := putPlugin(t, filepath.Dir(path), filepath.Base(path)); findPlugin("cpu") != got {
			t.Errorf("findPlugin(cpu) = %q, want %q", findPlugin("cpu"), got)
		}
	}
}

// The list may name folders and files, missing ones too; the first place that has a plugin wins.
func TestFindPluginSearchOrder(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	inSecond := putPlugin(t, second, "pjrt_c_api_cpu_plugin.so")
	list := func(places ...string) {
		t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", strings.Join(places, string(os.PathListSeparator)))
	}
	missing := filepath.Join(first, "missing")
	list(missing, first, second)
	if got := findPlugin("cpu"); got != inSecond {
		t.Errorf("only the second folder has one: %q, want %q", got, inSecond)
	}
	inFirst := putPlugin(t, first, "pjrt-plugin-cpu.so")
	if got := findPlugin("cpu"); got != inFirst {
		t.Errorf("both folders have one: %q, want %q", got, inFirst)
	}
	bracket := filepath.Join(second, "g[1]*")
	if err := os.Mkdir(bracket, 0o700); err != nil {
		t.Fatal(err)
	}
	inBracket := putPlugin(t, bracket, "pjrt-plugin-cpu.so")
	list(bracket, second)
	if got := findPlugin("cpu"); got != inBracket {
		t.Errorf("the folder's name looks like a pattern: %q, want %q", got, inBracket)
	}
	named := putPlugin(t, first, "pjrt_c_api_cpu_v2_plugin.so")
	list(inFirst, second) // although the folder has a file with a better name
	if got := findPlugin("cpu"); got != inFirst {
		t.Errorf("the list names a file: %q, want %q", got, inFirst)
	}
	list(named)
	if got := findPlugin("cuda"); got != "" {
		t.Errorf("the named file is no CUDA plugin: %q", got)
	}
	if got := SearchedPlaces(); got != named {
		t.Errorf("SearchedPlaces() = %q, want %q", got, named)
	}
}

// Without the variable, go-xla's own folders and LD_LIBRARY_PATH are searched.
func TestFindPluginDefaultPlaces(t *testing.T) {
	home, libs := t.TempDir(), t.TempDir()
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "")
	t.Setenv("HOME", home)
	t.Setenv("LD_LIBRARY_PATH", libs)
	noPython(t)
	inLibs := putPlugin(t, libs, "pjrt_c_api_cuda_plugin.so")
	want := strings.Join([]string{
		home + "/.local/lib/go-xla", home + "/.local/lib/go-xla/nvidia",
		"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia",
		libs,
		home + "/.local/lib*/python3*/site-packages/jax_plugins/xla_cuda*",
	}, string(os.PathListSeparator))
	if got := SearchedPlaces(); !strings.HasPrefix(got, want) {
		t.Errorf("SearchedPlaces() = %q, want it to begin with %q", got, want)
	}
	folder := filepath.Join(home, ".local/lib/go-xla/nvidia")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	inHome := putPlugin(t, folder, "pjrt_c_api_cuda_plugin.so")
	if got := findPlugin("cuda"); got != inHome {
		t.Errorf("findPlugin(cuda) = %q, want %q (before %q)", got, inHome, inLibs)
	}
}

// noPython hides the Python environments that variables name.
func noPython(t *testing.T) {
	t.Helper()
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("CONDA_PREFIX", "")
	t.Setenv("PATH", t.TempDir())
}

// jaxPlugin makes the file that JAX's CUDA package installs into a Python environment.
func jaxPlugin(t *testing.T, env, python, cuda string) string {
	t.Helper()
	folder := filepath.Join(env, "lib", python, "site-packages/jax_plugins/xla_"+cuda)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return putPlugin(t, folder, "xla_cuda_plugin.so")
}

// JAX's plugin is found in the active environment, else beside the python3 on PATH, else in the user's packages; the
// newest CUDA counts. A folder that go-xla itself searches comes first.
func TestFindPluginInPython(t *testing.T) {
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "")
	t.Setenv("LD_LIBRARY_PATH", "")
	home, venv, conda, onPath := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	noPython(t)
	t.Setenv("HOME", home)
	check := func(where, want string) {
		t.Helper()
		if got := findPlugin("cuda"); got != want {
			t.Errorf("%s: findPlugin(cuda) = %q, want %q", where, got, want)
		}
		if got := findPlugin("cpu"); got != "" {
			t.Errorf("%s: a CUDA plugin was taken for a CPU plugin: %q", where, got)
		}
	}
	check("user's packages", jaxPlugin(t, filepath.Join(home, ".local"), "python3.11", "cuda13"))

	bin := filepath.Join(onPath, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "python3"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	jaxPlugin(t, onPath, "python3.12", "cuda12")
	check("python3 on PATH", jaxPlugin(t, onPath, "python3.12", "cuda13"))

	t.Setenv("CONDA_PREFIX", conda)
	check("conda", jaxPlugin(t, conda, "python3.12", "cuda12"))
	t.Setenv("VIRTUAL_ENV", venv)
	check("virtual environment", jaxPlugin(t, venv, "python3.12", "cuda12"))

	own := filepath.Join(home, ".local/lib/go-xla/nvidia")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	check("go-xla's folder", putPlugin(t, own, "pjrt_c_api_cuda_plugin.so"))
}

func TestLibraryFolders(t *testing.T) {
	env := t.TempDir()
	plugin := jaxPlugin(t, env, "python3.12", "cuda13")
	packages := filepath.Join(env, "lib/python3.12/site-packages")
	want := []string{filepath.Join(packages, "nvidia/cu13/lib"), filepath.Join(packages, "nvidia/cudnn/lib")}
	for _, folder := range append(want, filepath.Join(packages, "nvidia/cu13/include"),
		filepath.Join(packages, "other/lib")) {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := LibraryFolders(plugin); !slices.Equal(got, want) {
		t.Errorf("LibraryFolders = %q, want %q", got, want)
	}
	if got := LibraryFolders(filepath.Join(env, "pjrt_c_api_cuda_plugin.so")); len(got) != 0 {
		t.Errorf("a plugin outside of Python: LibraryFolders = %q, want none", got)
	}
}
