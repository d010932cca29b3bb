package programs

import (
	"math"
	"os"
	"slices"
	"strings"
)

// AheadEnv is the environment variable that names a folder of programs that were compiled ahead, for another machine.
const AheadEnv = "GFNCP_COMPILED"

// Ahead returns the store of programs compiled ahead, or nil where the environment names none.
func Ahead() *Store {
	folder := os.Getenv(AheadEnv)
	if folder == "" {
		return nil
	}
	return AheadIn(folder)
}

// AheadIn returns the store of programs compiled ahead in a folder. It is not bounded.
func AheadIn(folder string) *Store { return &Store{Folder: folder, Most: math.MaxInt64} }

// AheadFlags are those of XLA's flags, parted by spaces, that must be the same where a program is compiled ahead and
// where it runs: all but the folder of NVIDIA's tools and the level of autotuning, which without a card is none.
func AheadFlags(flags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flags), func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return name == "--xla_gpu_cuda_data_dir" || name == "--xla_gpu_autotune_level"
	}), " ")
}
