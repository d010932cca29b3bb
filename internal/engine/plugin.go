package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// pluginPathEnv is go-xla's own variable: a colon-separated list of folders, or of plugin files.
const pluginPathEnv = "PJRT_PLUGIN_LIBRARY_PATH"

// findPlugin returns the absolute path of an installed PJRT plugin for "cuda" or "cpu", or "". Of several plugins in a
// place the last one by name counts, which has the newest CUDA.
func findPlugin(platform string) string {
	for _, place := range pluginPlaces() {
		inside, _ := filepath.Glob(filepath.Join(place, "*.so")) // a place that is no good pattern has none
		for _, path := range slices.Backward(append(inside, place)) {
			if abs, err := filepath.Abs(path); err == nil && isPlugin(abs, platform) {
				return abs
			}
		}
	}
	return ""
}

// isPlugin reports whether a file has a plugin's name: xla_cuda_plugin.so of JAX, xla_cpu_pjrt.so,
// pjrt_c_api_cpu_plugin.so.
func isPlugin(path, platform string) bool {
	name := filepath.Base(path)
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && strings.HasSuffix(name, ".so") && platformOf(name) == platform &&
		(strings.Contains(name, "plugin") || strings.Contains(name, "pjrt"))
}

// pluginPlaces lists folders, plugin files, and patterns of folders: the user's list, or else go-xla's folder, where
// GoMLX installs plugins, and Python environments.
func pluginPlaces() []string {
	if list := os.Getenv(pluginPathEnv); list != "" {
		return filepath.SplitList(list)
	}
	folder := filepath.Join(os.Getenv("HOME"), ".local/lib/go-xla")
	return append([]string{folder, filepath.Join(folder, "nvidia")}, pythonPlaces()...)
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

// pythonPlaces lists the patterns of pluginPackages in the Python environment of the python3 on PATH, in the user's
// packages and in the system's. It does not start Python.
func pythonPlaces() []string {
	var roots []string
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
