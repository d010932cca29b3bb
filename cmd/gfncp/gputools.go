package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// The flags of XLA that compilation without a card needs: where ptxas and libdevice are, and no timing of kernels.
const (
	toolsFlag    = "--xla_gpu_cuda_data_dir="
	autotuneFlag = "--xla_gpu_autotune_level="
)

// gpuTools are NVIDIA's programs that XLA's compiler calls, with one of ours before ptxas, which keeps what ptxas says
// of each kernel.
type gpuTools struct {
	flags  string // of XLA, as they were before ours stood there
	folder string // of ours
}

// useTools finds the tools, beside the plugin unless XLA_FLAGS tells where, and adds to XLA_FLAGS what is missing.
// The plugin reads these as it is loaded.
func useTools(plugin string) (t gpuTools, err error) {
	t.flags = os.Getenv("XLA_FLAGS")
	folder, given := flagValue(t.flags, toolsFlag)
	if !given {
		folder = filepath.Join(filepath.Dir(plugin), "../../nvidia/cu13")
	}
	if err := checkTools(folder); err != nil {
		return t, err
	}
	if !given {
		t.flags += " " + toolsFlag + folder
	}
	if _, given := flagValue(t.flags, autotuneFlag); !given {
		t.flags += " " + autotuneFlag + "0"
	}
	if t.folder, err = standBefore(folder); err != nil {
		return t, fmt.Errorf("write a program that stands before ptxas: %w", err)
	}
	return t, os.Setenv("XLA_FLAGS", t.flags+" "+toolsFlag+t.folder)
}

// standBefore makes a folder of tools whose ptxas calls that of another folder, and keeps what it says in said/.
func standBefore(folder string) (ours string, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	if ours, err = os.MkdirTemp("", "gfncp-tools-"); err != nil {
		return "", err
	}
	link := func(from, to string) error { return os.Symlink(filepath.Join(folder, from), filepath.Join(ours, to)) }
	return ours, errors.Join(
		os.Mkdir(filepath.Join(ours, "said"), 0o700), os.Mkdir(filepath.Join(ours, "bin"), 0o700),
		os.WriteFile(filepath.Join(ours, "bin/ptxas"), []byte(ptxasScript), 0o700),
		link("bin/ptxas", "ptxas"), link("bin/nvlink", "bin/nvlink"), link("nvvm", "nvvm"),
	)
}

// ptxasScript runs ptxas so that it tells of registers, and passes on what it says and its status.
const ptxasScript = `#!/bin/sh
folder=${0%/bin/ptxas}
"$folder/ptxas" "$@" -v 2>"$folder/said/$$"
status=$?
cat "$folder/said/$$" >&2
exit $status
`

func (t gpuTools) close() { _ = os.RemoveAll(t.folder) }

// spilled returns the bytes of registers that the kernels compiled since the last call store in memory for want of
// registers, added up over kernels.
func (t gpuTools) spilled() (bytes int, err error) {
	files, err := filepath.Glob(filepath.Join(t.folder, "said/*"))
	for _, file := range files {
		text, failed := os.ReadFile(file)
		for _, match := range spillStores.FindAllSubmatch(text, -1) {
			n, _ := strconv.Atoi(string(match[1]))
			bytes += n
		}
		err = errors.Join(err, failed, os.Remove(file))
	}
	return bytes, err
}

var spillStores = regexp.MustCompile(`(\d+) bytes spill stores`)

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
