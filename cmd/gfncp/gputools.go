package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// The flags of XLA that compilation without a card needs: where ptxas and libdevice are, and no timing of kernels.
const (
	toolsFlag    = "--xla_gpu_cuda_data_dir="
	autotuneFlag = "--xla_gpu_autotune_level="
)

// xlaFlagsEnv is the variable from which XLA reads its flags when it starts.
const xlaFlagsEnv = "XLA_FLAGS"

// useTools finds NVIDIA's programs that XLA's compiler calls, beside the plugin unless XLA_FLAGS tells where, and adds
// to XLA_FLAGS what is missing. The plugin reads these as it is loaded.
func useTools(plugin string) error {
	flags := os.Getenv(xlaFlagsEnv)
	folder, given := flagValue(flags, toolsFlag)
	if !given {
		folder = filepath.Join(filepath.Dir(plugin), "../../nvidia/cu13")
	}
	if err := checkTools(folder); err != nil {
		return err
	}
	if !given {
		flags += " " + toolsFlag + folder
	}
	if _, given := flagValue(flags, autotuneFlag); !given {
		flags += " " + autotuneFlag + "0"
	}
	return os.Setenv(xlaFlagsEnv, flags)
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
