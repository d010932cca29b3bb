package main

import (
	"os"
	"path/filepath"
	"strings"

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

// The flags of XLA that compilation without a card needs: where ptxas and libdevice are, and no timing of kernels.
const (
	toolsFlag    = "--xla_gpu_cuda_data_dir="
	autotuneFlag = "--xla_gpu_autotune_level="
)

func gpuCompile(c *cli.Context) error {
	runs := paperRuns()
	if c.Bool("narrow") {
		runs = narrowRuns()
	}
	target, err := readTarget(c.String("target"))
	if err != nil {
		return err
	}
	plugin, err := cudaPlugin()
	if err != nil {
		return err
	}
	if err := setXLAFlags(plugin); err != nil {
		return err
	}
	cpu, err := engine.Choose("xla:cpu")
	if err != nil {
		return err
	}
	gpu, err := target.open(plugin)
	if err != nil {
		return err
	}
	defer gpu.Close()
	backend, err := cpu.Open() // programs are built for it, and run there as hollow ones
	if err != nil {
		return err
	}
	defer backend.Finalize()
	a := &aheadCompiler{
		context: c.Context, gpu: gpu, backend: backend, out: c.App.Writer, folder: c.String("out"),
		seen: map[pjrtapi.Program]bool{},
	}
	if err := a.begin(plugin, target.name); err != nil {
		return err
	}
	for _, run := range runs {
		if err := a.compile(run); err != nil {
			return err
		}
	}
	return a.finish()
}

// cudaPlugin is the path of the installed CUDA plugin.
func cudaPlugin() (string, error) {
	if path, found := engine.Plugins()["cuda"]; found {
		return path, nil
	}
	return "", usererr.New("install the wheels jax-cuda13-pjrt, nvidia-cuda-nvcc and nvidia-nvvm, each with "+
		"gfncp doctor --install-pjrt FILE.whl", "no PJRT plugin for CUDA found")
}

// setXLAFlags adds what is missing to XLA_FLAGS. The tools are looked for beside the plugin, where the wheels have
// them.
func setXLAFlags(plugin string) error {
	flags := os.Getenv("XLA_FLAGS")
	if folder, given := flagValue(flags, toolsFlag); given {
		if err := checkTools(folder); err != nil {
			return err
		}
	} else {
		folder := filepath.Join(filepath.Dir(plugin), "../../nvidia/cu13")
		if err := checkTools(folder); err != nil {
			return err
		}
		flags += " " + toolsFlag + folder
	}
	if _, given := flagValue(flags, autotuneFlag); !given {
		flags += " " + autotuneFlag + "0"
	}
	return os.Setenv("XLA_FLAGS", flags)
}

// checkTools tells whether a folder has what XLA's compiler calls.
func checkTools(folder string) error {
	for _, file := range []string{"bin/ptxas", "bin/nvlink", "nvvm/libdevice/libdevice.10.bc"} {
		path := filepath.Join(folder, file)
		info, err := os.Stat(path)
		if err == nil && strings.HasPrefix(file, "bin/") && info.Mode()&0o111 == 0 {
			return usererr.File(path, 0, "chmod +x it", "cannot be run: XLA compiles for GPUs with it")
		}
		if err != nil {
			return usererr.File(path, 0, "install the wheels nvidia-cuda-nvcc and nvidia-nvvm with gfncp doctor "+
				"--install-pjrt FILE.whl, or set XLA_FLAGS="+toolsFlag+"DIR",
				"is missing: XLA compiles for GPUs with it")
		}
	}
	return nil
}

// flagValue is the value of the last flag that begins so, among flags parted by spaces.
func flagValue(flags, start string) (value string, given bool) {
	for flag := range strings.FieldsSeq(flags) {
		if v, ok := strings.CutPrefix(flag, start); ok {
			value, given = v, true
		}
	}
	return value, given
}
