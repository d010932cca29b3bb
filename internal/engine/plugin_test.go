package engine

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func TestFindPlugin(t *testing.T) {
	for file, platform := range map[string]string{
		"pjrt_c_api_cuda13_plugin.so":  "cuda",
		"xla_cuda_plugin.so":           "cuda",
		"pjrt_c_api_cpu_plugin.so":     "cpu",
		"xla_cpu_pjrt.so":              "cpu",
		"libcuda.so":                   "",
		"pjrt_c_api_cpu_plugin.so.bak": "",
	} {
		want := map[string]string{platform: putPlugin(noPlugins(t), file)}
		delete(want, "") // not found
		if got := Plugins(); !maps.Equal(got, want) {
			t.Errorf("%s: Plugins() = %v, want %v", file, got, want)
		}
	}
}

// The packages of PyPI for the processor are found where pip puts them.
func TestFindPluginOfProcessor(t *testing.T) {
	for _, file := range []string{
		"xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
	} {
		want := putPlugin(bareHome(t), ".local/lib/python3.12/site-packages", file)
		if got := findPlugin("cpu"); got != want {
			t.Errorf("findPlugin(cpu) = %q, want %q", got, want)
		}
	}
}

// The list may name folders and files, missing ones too; the first place that has a plugin wins.
func TestFindPluginSearchOrder(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	inSecond := putPlugin(second, "pjrt_c_api_cpu_plugin.so")
	list := func(places ...string) {
		t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", strings.Join(places, string(os.PathListSeparator)))
	}
	missing := filepath.Join(first, "missing")
	list(missing, first, second)
	if got := findPlugin("cpu"); got != inSecond {
		t.Errorf("only the second folder has one: %q, want %q", got, inSecond)
	}
	inFirst := putPlugin(first, "pjrt-plugin-cpu.so")
	if got := findPlugin("cpu"); got != inFirst {
		t.Errorf("both folders have one: %q, want %q", got, inFirst)
	}
	named := putPlugin(first, "pjrt_c_api_cpu_v2_plugin.so")
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

// bareHome hides the plugins and Python environments that variables name; HOME is a new folder.
func bareHome(t *testing.T) (home string) {
	home = t.TempDir()
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "")
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", home)
	return home
}

// jaxPlugin makes the file that JAX's CUDA package installs into a Python environment.
func jaxPlugin(env, python, cuda string) string {
	return putPlugin(env, "lib", python, "site-packages/jax_plugins/xla_"+cuda, "xla_cuda_plugin.so")
}

// JAX's plugin is found beside the python3 on PATH, else in the user's packages; the newest CUDA counts.
func TestFindPluginInPython(t *testing.T) {
	home, onPath := bareHome(t), t.TempDir()
	check := func(where, want string) {
		t.Helper()
		if got := findPlugin("cuda"); got != want {
			t.Errorf("%s: findPlugin(cuda) = %q, want %q", where, got, want)
		}
		if got := findPlugin("cpu"); got != "" {
			t.Errorf("%s: a CUDA plugin was taken for a CPU plugin: %q", where, got)
		}
	}
	check("user's packages", jaxPlugin(filepath.Join(home, ".local"), "python3.11", "cuda13"))

	python := putPlugin(onPath, "bin/python3")
	must.M(os.Chmod(python, 0o700))
	t.Setenv("PATH", filepath.Dir(python))
	jaxPlugin(onPath, "python3.12", "cuda12")
	check("python3 on PATH", jaxPlugin(onPath, "python3.12", "cuda13"))
}

func TestLibraryFolders(t *testing.T) {
	env := t.TempDir()
	plugin := jaxPlugin(env, "python3.12", "cuda13")
	packages := filepath.Join(env, "lib/python3.12/site-packages")
	want := []string{filepath.Join(packages, "nvidia/cu13/lib"), filepath.Join(packages, "nvidia/cudnn/lib")}
	for _, folder := range append(want, filepath.Join(packages, "nvidia/cu13/include"),
		filepath.Join(packages, "other/lib")) {
		must.M(os.MkdirAll(folder, 0o700))
	}
	if got := LibraryFolders(plugin); !slices.Equal(got, want) {
		t.Errorf("LibraryFolders = %q, want %q", got, want)
	}
	if got := LibraryFolders(filepath.Join(env, "pjrt_c_api_cuda_plugin.so")); len(got) != 0 {
		t.Errorf("a plugin outside of Python: LibraryFolders = %q, want none", got)
	}
}
