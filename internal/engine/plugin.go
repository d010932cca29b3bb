package engine

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
)

// pluginPathEnv is go-xla's own variable: a colon-separated list of folders, or of plugin files.
const pluginPathEnv = "PJRT_PLUGIN_LIBRARY_PATH"

// findPlugin returns the path of an installed PJRT plugin for "cuda" or "cpu", or "". It looks where go-xla looks, and
// in Python environments; it reads no more than folder names.
func findPlugin(platform string) string {
	for _, place := range pluginPlaces() {
		if path := pluginIn(place, pluginPatterns(platform)); path != "" {
			return path
		}
	}
	return ""
}

func pluginPatterns(platform string) []string {
	patterns := []string{
		"pjrt_c_api_" + platform + "*_plugin.so", "pjrt-plugin-" + platform + "*.so",
		"pjrt_plugin_" + platform + "*.so",
		"pjrt_c_api_" + platform + "*_plugin.dylib",
	}
	if platform == "cuda" {
		return append(patterns, "xla_cuda_plugin.so") // the name inside JAX's Python package
	}
	return append(patterns, "xla_cpu_pjrt.so") // that inside the package xla-cpu-pjrt
}

// pluginPlaces lists folders, plugin files, and patterns of folders. The user's list replaces all others.
func pluginPlaces() []string {
	if list := os.Getenv(pluginPathEnv); list != "" {
		return filepath.SplitList(list)
	}
	var places []string
	for _, folder := range []string{filepath.Join(os.Getenv("HOME"), ".local/lib/go-xla"), "/usr/local/lib/go-xla"} {
		places = append(places, folder, filepath.Join(folder, "nvidia"))
	}
	places = append(places, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	return append(places, pythonPlaces()...)
}

// pluginIn returns the absolute path of the first file in place (a folder, a pattern of folders, or a plugin file
// itself) that fits. Of the folders that fit a pattern the last one counts, which has the newest CUDA.
func pluginIn(place string, patterns []string) string {
	folder, want := place, ""
	info, missing := os.Stat(place)
	if missing == nil && !info.IsDir() {
		folder, want = filepath.Split(place)
	}
	for _, pattern := range patterns { // they are well formed
		var found []string
		if missing == nil {
			found, _ = fileio.Matching(cmp.Or(folder, "."), pattern)
		} else if strings.Contains(place, "*") {
			found, _ = filepath.Glob(filepath.Join(folder, pattern))
			slices.Reverse(found)
		}
		for _, path := range found {
			if abs, err := filepath.Abs(path); err == nil && (want == "" || filepath.Base(path) == want) {
				return abs
			}
		}
	}
	return ""
}

// CardPresent reports whether the NVIDIA driver shows at least one card.
func CardPresent() bool {
	if entries, err := os.ReadDir("/proc/driver/nvidia/gpus"); err == nil && len(entries) > 0 {
		return true
	}
	nodes, _ := filepath.Glob("/dev/nvidia[0-9]*")
	return len(nodes) > 0
}

// Plugins lists the PJRT plugins found, by platform, for doctor.
func Plugins() map[string]string {
	found := make(map[string]string)
	for _, platform := range []string{"cuda", "cpu"} {
		if path := findPlugin(platform); path != "" {
			found[platform] = path
		}
	}
	return found
}

// SearchedPlaces returns the folders, and patterns of folders, in which plugins were looked for, joined for printing.
func SearchedPlaces() string { return strings.Join(pluginPlaces(), string(os.PathListSeparator)) }

// pluginPackages are the folders of plugins in Python environments: of jax-cuda13-pjrt, xla-cpu-pjrt and
// lammps-jax-pjrt-cpu.
var pluginPackages = []string{"jax_plugins/xla_cuda*", "xla_plugins/xla_cpu*", "lammps_jax_pjrt_cpu*"}

// pythonPlaces lists the patterns of pluginPackages in the Python environments of this machine: the active environment,
// the environment of the python3 on PATH, the user's, the system's. Python is not started.
func pythonPlaces() []string {
	var roots []string
	for _, env := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(env); dir != "" {
			roots = append(roots, dir)
		}
	}
	if python, err := exec.LookPath("python3"); err == nil {
		roots = append(roots, filepath.Dir(filepath.Dir(python)))
	}
	if home := os.Getenv("HOME"); home != "" {
		roots = append(roots, filepath.Join(home, ".local"))
	}
	var places []string
	for _, root := range append(roots, "/usr/local", "/usr") {
		for _, packages := range []string{"lib*/python3*/site-packages", "lib*/python3*/dist-packages"} {
			for _, name := range pluginPackages {
				places = text.AppendNew(places, filepath.Join(root, packages, name))
			}
		}
	}
	return places
}

// LibraryFolders returns the folders of NVIDIA's libraries in the Python environment of a plugin; nil for other
// plugins. LD_LIBRARY_PATH must have them before a program starts; JAX loads them itself.
func LibraryFolders(plugin string) []string {
	packages := filepath.Dir(filepath.Dir(filepath.Dir(plugin))) // PACKAGES/jax_plugins/xla_cuda13/xla_cuda_plugin.so
	if filepath.Base(filepath.Dir(filepath.Dir(plugin))) != "jax_plugins" || strings.ContainsAny(packages, "*?[") {
		return nil
	}
	folders, _ := filepath.Glob(filepath.Join(packages, "nvidia/*/lib")) // the pattern is well formed
	return folders
}
