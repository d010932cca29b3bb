package main

import (
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/usererr"
)

func gpuCommand() *cli.Command {
	return &cli.Command{Name: "gpu", Subcommands: []*cli.Command{{
		Name: "compile", Action: gpuCompile, Flags: []cli.Flag{
			&cli.StringFlag{Name: "target", Value: "h100"}, stringFlag("out"), dataDirFlag(),
			&cli.BoolFlag{Name: "narrow", Hidden: true}, // the programs of one narrow network, for a test
		},
	}}}
}

func gpuCompile(c *cli.Context) error {
	runs := paperRuns()
	if c.Bool("narrow") {
		runs = narrowRuns()
	}
	target, err := readTarget(c.String("target"))
	if err != nil {
		return err
	}
	cuda, err := cudaPlugin()
	if err != nil {
		return err
	}
	tools, err := useTools(cuda)
	if err != nil {
		return err
	}
	defer tools.close()
	cpu, err := engine.Choose("xla:cpu")
	if err != nil {
		return err
	}
	if folder := c.String("out"); folder != "" {
		if err := makeDir(folder); err != nil {
			return err
		}
	}
	gpu, err := target.open(cuda)
	if err != nil {
		return err
	}
	defer gpu.Close()
	if err := pjrtapi.StandIn(hollowCUDA, cpu.Plugin()); err != nil {
		return err
	}
	a := &aheadCompiler{
		context: c.Context, gpu: gpu, target: target, tools: tools, out: c.App.Writer, folder: c.String("out"),
		seen: map[pjrtapi.Program]bool{},
	}
	if err := a.begin(cuda); err != nil {
		return err
	}
	for _, run := range runs {
		if err := a.compile(run); err != nil {
			return err
		}
	}
	return a.finish()
}

// hollowCUDA is the path under which the plugin for the processor stands in for CUDA's: the word cuda tells go-xla to
// build what it builds for a card, matrix products in full precision among them.
const hollowCUDA = "/hollow/cuda.so"

// cudaPlugin is the path of the installed CUDA plugin.
func cudaPlugin() (string, error) {
	if path, found := engine.Plugins()["cuda"]; found {
		return path, nil
	}
	return "", usererr.New("install the wheels jax-cuda13-pjrt, nvidia-cuda-nvcc and nvidia-nvvm, each with "+
		"gfncp doctor --install-pjrt FILE.whl", "no PJRT plugin for CUDA found")
}
