package engine

import (
	"os"
	"path/filepath"
	"strings"
)

// pluginPathEnv is go-xla's own variable: a colon-separated list of folders, or of plugin files.
const pluginPathEnv = "PJRT_PLUGIN_LIBRARY_PATH"

// findPlugin returns the path of an installed PJRT plugin for "cuda" or "cpu", or "" if there is none. It looks where
// go-xla looks and reads no more than folder names.
func findPlugin(platform string) string {
	patterns := []string{
		"pjrt_c_api_" + platform + "*_plugin.so", "pjrt-plugin-" + platform + "*.so", "pjrt_plugin_" + platform + "*.so",
		"pjrt_c_api_" + platform + "*_plugin.dylib",
	}
	if platform == "cuda" {
		patterns = append(patterns, "xla_cuda_plugin.so") // the name inside JAX's Python package
	}
	for _, place := range pluginPlaces() {
		if path := pluginIn(place, patterns); path != "" {
			return path
		}
	}
	return ""
}

func pluginPlaces() []string {
	if list := os.Getenv(pluginPathEnv); list != "" {
		return filepath.SplitList(list)
	}
	var places []string
	for _, root := range []string{filepath.Join(os.Getenv("HOME"), ".local/lib"), "/usr/local/lib"} {
		places = append(places, filepath.Join(root, "go-xla"), filepath.Join(root, "go-xla/nvidia"))
	}
	return append(places, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
}

// pluginIn returns the absolute path of the first file in place (a folder, or a plugin file itself) that fits.
func pluginIn(place string, patterns []string) string {
	folder, want := place, ""
	if info, err := os.Stat(place); err == nil && !info.IsDir() {
		folder, want = filepath.Split(place)
	}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(folder, pattern)) // the patterns are well formed
		for _, path := range found {
			if abs, err := filepath.Abs(path); err == nil && (want == "" || filepath.Base(path) == want) {
				return abs
			}
		}
	}
	return ""
}

// cardPresent reports whether the NVIDIA driver shows at least one card.
func cardPresent() bool {
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

// SearchedPlaces returns the folders in which plugins were looked for, joined for printing.
func SearchedPlaces() string { return strings.Join(pluginPlaces(), string(os.PathListSeparator)) }
