package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// The models that commands take by default: ownDefault for the user's own points (cluster, score), paperDefault for
// generated sets. Likelihood training makes mog-ncp's probabilities the better calibrated ones: samples of mog-gfncp have
// too many clusters.
const (
	ownDefault   = "mog-ncp"
	paperDefault = "mog-gfncp"
)

// decodingModels lists the built-in models that decode point by point, so that they cluster and score; the others only
// have a point estimate of their own. A model's name says its kind: mog-ncp is NCP, mog-gfncp-online GFNCP.
func decodingModels() []string {
	return slices.DeleteFunc(root.Names(), func(name string) bool {
		parts := strings.Split(name, "-")
		return len(parts) < 2 || parts[1] != train.GFNCP && parts[1] != train.NCP
	})
}

// backendFlag chooses where the computation runs.
func backendFlag() cli.Flag {
	return &cli.StringFlag{Name: "backend", Value: "auto", Usage: "auto, go, xla:cpu, xla:cuda, or a GoMLX configuration"}
}

// dataDirFlag chooses the folder of the image data sets.
func dataDirFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "data-dir", Usage: "folder of the image data sets (see gfncp data list)", EnvVars: []string{sources.DirEnv},
		Action: func(_ *cli.Context, dir string) error { return os.Setenv(sources.DirEnv, dir) },
	}
}

// openBackend starts the backend named by --backend and reports its short name.
func openBackend(c *cli.Context) (compute.Backend, string, error) {
	choice, err := engine.Choose(c.String("backend"))
	if err != nil {
		return nil, "", err
	}
	backend, err := choice.Open()
	return backend, choice.Name, err
}

// modelFlags choose a trained model, by default the given one, and where it runs; names are the built-in ones that fit.
func modelFlags(model string, names []string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Value: model, Usage: "pretrained name (" + strings.Join(names, ", ") + "), run directory, or model file"},
		backendFlag(),
	}
}

// openModel opens the model named by --model on the backend named by --backend.
func openModel(c *cli.Context) (*root.Model, error) {
	return root.Open(c.String("model"), root.On(c.String("backend")))
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// say narrates on stderr unless --quiet.
func say(c *cli.Context, format string, args ...any) {
	if !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, format+"\n", args...)
	}
}
