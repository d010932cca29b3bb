package engine

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// namedXLA resolves "xla:cpu", "xla:cuda" and "xla:/path/of/a/plugin.so", each with GoMLX's options after a comma.
func namedXLA(name string) (Choice, error) {
	plugin, options, _ := strings.Cut(strings.TrimPrefix(name, "xla:"), ",")
	platform, found := platformOf(plugin), plugin
	if !filepath.IsAbs(plugin) {
		platform, found = plugin, findPlugin(plugin)
	}
	if !xlaLinked {
		return Choice{}, usererr.New("build with cgo, or use backend go",
			"backend %s: this binary has the Go backend alone", name)
	}
	if found == "" {
		return Choice{}, usererr.New("point "+pluginPathEnv+
			" at its folder, give the backend xla:/path/of/plugin.so, pip install it (docs/commands.md), or use "+
			"backend go",
			"backend %s: no PJRT %s plugin found", name, platform)
	}
	if on, _ := switched(options, "tf32"); on && platform == "cpu" { // refused by the plugins, with many words
		return Choice{}, usererr.New("leave tf32 out", "backend %s: TF32 is for NVIDIA's cards", name)
	}
	return xlaChoice(found, platform, options, "asked for by name; plugin "+found), nil
}

// platformOf returns a plugin's platform by its path, as go-xla does; "" if the path does not show it.
func platformOf(path string) string {
	lower := strings.ToLower(path)
	switch {
	case strings.Contains(lower, "cuda") || strings.Contains(lower, "nvidia"):
		return "cuda"
	case strings.Contains(lower, "cpu"):
		return "cpu"
	default:
		return ""
	}
}

// xlaChoice returns the backend of a plugin with the user's options. For CUDA it sets two options whose defaults differ
// between GoMLX's documents, unless the user did: exact float32, memory on demand.
func xlaChoice(plugin, platform, options, reason string) Choice {
	config := "xla:" + plugin
	if platform == "cuda" {
		for _, option := range []string{"preallocate", "tf32"} {
			if _, set := switched(options, option); !set {
				config += "," + option + "=false"
			}
		}
	}
	if options != "" {
		config += "," + options
	}
	return Choice{config, strings.TrimSuffix("xla:"+platform, ":"), reason, plugin}
}

// switched reads a switch among comma-separated options as go-xla does: "x", "x=true" and "x=1" are on, "nox" and the
// others off.
func switched(options, name string) (on, set bool) {
	for option := range strings.SplitSeq(options, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(option), "=")
		switch key {
		case "no" + name:
			return false, true
		case name:
			on, set = value == "" || strings.ContainsAny(value[:1], "1tT"), true
		}
	}
	return on, set
}

// TF32 reports whether the backend multiplies float32 matrices with 10 bits of mantissa: only CUDA with tf32 switched
// on.
func (c Choice) TF32() bool {
	on, _ := switched(c.Config, "tf32")
	return on && c.Name == "xla:cuda"
}

// flagsEnv is the variable from which XLA reads its flags when a plugin is loaded.
const flagsEnv = "XLA_FLAGS"

// tritonFlag says whether XLA generates Triton kernels for matrix products in place of calling cuBLAS. With them one
// gradient of mixtures compiled in 45 s on an H100. Without them all programs of a training compiled in 50 s on an
// H200, and a step was no slower (docs/performance.md).
const tritonFlag = "--xla_gpu_enable_triton_gemm"

// setGPUFlags turns Triton's matrix products off for the plugins that are loaded from now on. A value that the user
// gave in flagsEnv stays.
func setGPUFlags() error {
	flags := os.Getenv(flagsEnv)
	if strings.Contains(flags, tritonFlag) || flags != "" && !strings.HasPrefix(strings.TrimSpace(flags), "--") {
		return nil // given, or the name of a file of flags
	}
	return os.Setenv(flagsEnv, strings.TrimSpace(flags+" "+tritonFlag+"=false"))
}
