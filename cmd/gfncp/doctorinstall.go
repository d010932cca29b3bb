package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/internal/wheel"
)

// installPJRT unpacks a wheel with a PJRT plugin, and says where it is and how to try it.
func installPJRT(c *cli.Context, file string) error {
	if _, missing := os.Stat(file); missing != nil && !strings.HasSuffix(file, wheel.Suffix) {
		return usererr.New("give a wheel, a file such as xla_cpu_pjrt-….whl, from pip download --no-deps xla-cpu-pjrt",
			"PJRT plugin %q is not known", file)
	}
	done, err := engine.InstallWheel(file)
	if err != nil {
		return err
	}
	if done.Platform == "" {
		_, err = fmt.Fprintln(c.App.Writer, done.Path+"\nnext: the wheel of the CUDA plugin, if it is not installed")
		return err
	}
	next := fmt.Sprintf("gfncp doctor --backend xla:%s --parity", done.Platform)
	if found := engine.Plugins()[done.Platform]; found != done.Path { // another place comes first
		next = fmt.Sprintf("gfncp doctor --backend xla:%s --parity (xla:%s is %s)", done.Path, done.Platform, found)
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s\nPJRT API %s\nnext: %s\n", done.Path, done.API, next)
	return err
}
