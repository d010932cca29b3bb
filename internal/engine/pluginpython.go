package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// pythonPlaces lists the patterns under which JAX keeps its CUDA plugin, jax_plugins/xla_cuda*, in the Python
// environments of this machine: the active one, the one of the python3 on PATH, the user's, the system's. Python is not
// started.
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
			places = text.AppendNew(places, filepath.Join(root, packages, "jax_plugins/xla_cuda*"))
		}
	}
	return append(places, "/usr/lib/python3/dist-packages/jax_plugins/xla_cuda*")
}

// LibraryFolders returns the folders of NVIDIA's libraries beside a plugin that lies in a Python environment, for
// LD_LIBRARY_PATH: JAX loads them itself before the plugin, another program has to be told before it starts. It is empty
// for a plugin that lies elsewhere.
func LibraryFolders(plugin string) []string {
	packages := filepath.Dir(filepath.Dir(filepath.Dir(plugin))) // PACKAGES/jax_plugins/xla_cuda13/xla_cuda_plugin.so
	if filepath.Base(filepath.Dir(filepath.Dir(plugin))) != "jax_plugins" || strings.ContainsAny(packages, "*?[") {
		return nil
	}
	folders, _ := filepath.Glob(filepath.Join(packages, "nvidia/*/lib")) // the pattern is well formed
	return folders
}
