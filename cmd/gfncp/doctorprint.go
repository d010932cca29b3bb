package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/engine"
)

// write prints what a person wants to know.
func (d *diagnosis) write(b *bytes.Buffer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-10s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("gfncp", "%s", d.Version)
	line("machine", "%s", d.Machine)
	line("backend", "%s (%s): %s", d.Backend, d.Config, d.Reason)
	if d.Description != "" {
		line("running", "%s", d.Description)
	}
	if d.TF32 {
		line("precision", "TF32: matrix products keep 10 bits of mantissa")
	}
	d.writePlugins(line)
	line("simd", "%s", simdState(d))
	if godebug := os.Getenv("GODEBUG"); godebug != "" {
		line("GODEBUG", "%s", godebug)
	}
	for _, path := range slices.Sorted(maps.Keys(d.Modules)) {
		line("module", "%s %s", path, d.Modules[path])
	}
	line("models", "%s", strings.Join(d.Models, ", "))
	if d.Failure != "" {
		line("numbers", "not checked: the backend failed")
		return
	}
	line("numbers", "energies deviate from the float64 reference by %.1e relative (healthy below %g)", d.Deviation, healthyBelow)
}

// writePlugins says what an accelerator needs: a card, a plugin, its libraries.
func (d *diagnosis) writePlugins(line func(name, format string, args ...any)) {
	if d.Card {
		line("card", "the NVIDIA driver shows at least one")
	} else {
		line("card", "none: neither /proc/driver/nvidia nor /dev/nvidia0")
	}
	if len(d.Plugins) == 0 {
		line("plugins", "none in %s", d.Searched)
	}
	for _, platform := range slices.Sorted(maps.Keys(d.Plugins)) {
		line("plugin", "%s: %s", platform, d.Plugins[platform])
	}
	if len(d.Libraries) > 0 {
		line("libraries", "if the plugin does not load, start with LD_LIBRARY_PATH=%s", strings.Join(d.Libraries, ":"))
	}
}

func simdState(d *diagnosis) string {
	switch {
	case !d.SIMD:
		return "built without GOEXPERIMENT=simd: the Go backend is about 7 times slower; build or run with it, as just does"
	case !d.ExpSafe:
		return "built with GOEXPERIMENT=simd, but GODEBUG=asyncpreemptoff=1 is not set: exp may be 140 times slower at random"
	default:
		return "built with GOEXPERIMENT=simd"
	}
}

// installPJRT downloads a plugin and says where it is.
func installPJRT(c *cli.Context, platform string) error {
	path, err := engine.InstallPlugin(platform, colour(c))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s\nnext: gfncp doctor --backend xla:%s --parity\n", path, platform)
	return err
}
