package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pluginPathEnv is go-xla's own variable: a colon-separated list of folders, or of plugin files.
const pluginPathEnv = "PJRT_PLUGIN_LIBRARY_PATH"

// findPlugin returns the path of an installed PJRT plugin for "cuda" or "cpu", or "" if there is none. It looks where
// go-xla looks, and in Python environments; it reads no more than folder names.
func findPlugin(platform string) string {
	for _, place := range pluginPlaces() {
		if path := pluginIn(place, pluginPatterns(platform)); path != "" {
			return path
		}
	}
	return ""
}

// pluginPatterns are the names of a platform's plugin files.
func pluginPatterns(platform string) []string {
	patterns := []string{
		"pjrt_c_api_" + platform + "*_plugin.so", "pjrt-plugin-" + platform + "*.so", "pjrt_plugin_" + platform + "*.so",
		"pjrt_c_api_" + platform + "*_plugin.dylib",
	}
	if platform == "cuda" {
		patterns = append(patterns, "xla_cuda_plugin.so") // the name inside JAX's Python package
	}
	return patterns
}

// pluginPlaces lists folders, plugin files, and patterns of folders. The user's list stands alone.
func pluginPlaces() []string {
	if list := os.Getenv(pluginPathEnv); list != "" {
		return filepath.SplitList(list)
	}
	var places []string
	for _, root := range []string{filepath.Join(os.Getenv("HOME"), ".local/lib"), "/usr/local/lib"} {
		places = append(places, filepath.Join(root, "go-xla"), filepath.Join(root, "go-xla/nvidia"))
	}
	places = append(places, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	return append(places, pythonPlaces()...)
}

// pluginIn returns the absolute path of the first file in place (a folder, a pattern of folders, or a plugin file itself)
// that fits. Of the folders that fit a pattern the last one counts, which has the newest CUDA.
func pluginIn(place string, patterns []string) string {
	folder, want := place, ""
	if info, err := os.Stat(place); err == nil && !info.IsDir() {
		folder, want = filepath.Split(place)
	}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(folder, pattern)) // the patterns are well formed
		if strings.Contains(place, "*") {
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
