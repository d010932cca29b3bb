package engine

import (
	"os"
	"strings"
)

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
