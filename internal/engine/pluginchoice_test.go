package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

// A plugin given by its path, and options after a comma: exact float32 and memory on demand unless the user says
// otherwise.
func TestChooseXLAWithPathAndOptions(t *testing.T) {
	if !xlaLinked {
		t.Skip("no XLA in this build")
	}
	found := putPlugin(noPlugins(t), "xla_cuda_plugin.so")
	const path = "/opt/venv/jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	for _, test := range []struct {
		name, config, short string
		tf32                bool
	}{
		{"xla:cuda", "xla:" + found + ",preallocate=false,tf32=false", "xla:cuda", false},
		{"xla:cuda,tf32=true", "xla:" + found + ",preallocate=false,tf32=true", "xla:cuda", true},
		{"xla:cuda,tf32", "xla:" + found + ",preallocate=false,tf32", "xla:cuda", true},
		{"xla:cuda,notf32,preallocate", "xla:" + found + ",notf32,preallocate", "xla:cuda", false},
		{"xla:" + path, "xla:" + path + ",preallocate=false,tf32=false", "xla:cuda", false},
		{
			"xla:" + path + ",tf32=1,allocator=bfc", "xla:" + path + ",preallocate=false,tf32=1,allocator=bfc",
			"xla:cuda", true,
		},
		{"xla:/lib/pjrt_c_api_cpu_plugin.so", "xla:/lib/pjrt_c_api_cpu_plugin.so", "xla:cpu", false},
		{
			"xla:/lib/pjrt_c_api_cpu_plugin.so,tf32=false", "xla:/lib/pjrt_c_api_cpu_plugin.so,tf32=false",
			"xla:cpu", false,
		},
		{"xla:/lib/plugin.so", "xla:/lib/plugin.so", "xla", false},
		{"go", "go:ops_sequential", "go", false},
	} {
		choice, err := Choose(test.name)
		if err != nil || choice.Config != test.config || choice.Name != test.short || choice.TF32() != test.tf32 {
			t.Errorf("Choose(%q) = %+v (TF32 %v), %v; want %q named %s, TF32 %v",
				test.name, choice, choice.TF32(), err, test.config, test.short, test.tf32)
		}
		plugin, _, _ := strings.Cut(strings.TrimPrefix(test.config, "xla:"), ",")
		if test.short == "go" {
			plugin = ""
		}
		if choice.Plugin != plugin {
			t.Errorf("Choose(%q).Plugin = %q, want %q", test.name, choice.Plugin, plugin)
		}
	}
}

// No processor multiplies in TF32: the plugins refuse what go-xla asks for, with many words.
func TestNoTF32OnAProcessor(t *testing.T) {
	if !xlaLinked {
		t.Skip("no XLA in this build")
	}
	const name = "xla:/lib/pjrt_c_api_cpu_plugin.so,tf32=true"
	_, err := Choose(name)
	var fault *usererr.Error
	if !errors.As(err, &fault) || !strings.Contains(fault.Error(), name) || fault.Hint == "" {
		t.Errorf("%v", err)
	}
}
