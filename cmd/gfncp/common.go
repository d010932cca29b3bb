package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/train"
)

// defaultModel is the model whose probabilities are nearest to the exact ones (docs/models.md).
const defaultModel = "mog-gfncp-free"

// decodingModels lists the registered NCP and GFNCP models: mog-ncp is NCP, mog-gfncp-online is GFNCP.
func decodingModels() []string {
	return slices.DeleteFunc(root.Models(), func(name string) bool {
		parts := strings.Split(name, "-")
		return len(parts) < 2 || parts[1] != train.GFNCP && parts[1] != train.NCP
	})
}

// measuring lets the first signal end, at any point, an action that writes nothing before its end.
func measuring(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		_, err := beside.Do(c.Context, func() (any, error) { return nil, action(c) })
		return err
	}
}

// chooseBackend chooses the backend of --backend. XLA's compilations are told; the Go backend's take milliseconds.
func chooseBackend(c *cli.Context) (engine.Choice, error) {
	choice, err := engine.Choose(c.String("backend"))
	if err == nil && !c.Bool("quiet") && isXLA(choice) {
		pjrtapi.Listen(func(made pjrtapi.Made) { writeCompilation(c.App.ErrWriter, made) })
	}
	return choice, err
}

func isXLA(choice engine.Choice) bool { return strings.HasPrefix(choice.Name, "xla") }

func openBackend(c *cli.Context) (compute.Backend, string, error) {
	choice, err := chooseBackend(c)
	if err != nil {
		return nil, "", err
	}
	backend, err := choice.Open()
	return backend, choice.Name, err
}

const reportedSeconds = 1

// writeCompilation reports the program that a backend compiled, unless that was fast.
func writeCompilation(w io.Writer, m pjrtapi.Made) {
	if m.Seconds >= reportedSeconds {
		fmt.Fprintf(w, "compiled program %d, %s, in %.1f s\n", m.Compiled, m.Program.Name(), m.Seconds)
	}
}

// makeDir creates an output directory and makes sure that files can be written in it.
func makeDir(dir string) error { return atomicfile.MakeDir(dir, "choose another directory with --out") }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
