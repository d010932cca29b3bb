package engine

import (
	"maps"
	"os"
	"path/filepath"
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
	inLibs := putPlugin(t, libs, "pjrt_c_api_cuda_plugin.so")
	want := strings.Join([]string{
		home + "/.local/lib/go-xla", home + "/.local/lib/go-xla/nvidia",
		"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia", libs,
	}, string(os.PathListSeparator))
	if got := SearchedPlaces(); got != want {
		t.Errorf("SearchedPlaces() = %q, want %q", got, want)
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
