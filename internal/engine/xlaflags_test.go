package engine

import (
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

// Triton's products are off unless the user says otherwise; other flags, and a file of flags, stay as they are.
func TestGPUFlags(t *testing.T) {
	for given, want := range map[string]string{
		"":                                   "--xla_gpu_enable_triton_gemm=false",
		"--xla_dump_to=/d":                   "--xla_dump_to=/d --xla_gpu_enable_triton_gemm=false",
		"--xla_gpu_enable_triton_gemm=true":  "--xla_gpu_enable_triton_gemm=true",
		"--xla_gpu_enable_triton_gemm=false": "--xla_gpu_enable_triton_gemm=false",
		"flags.txt":                          "flags.txt",
	} {
		t.Setenv(flagsEnv, given)
		must.M(setGPUFlags())
		if got := os.Getenv(flagsEnv); got != want {
			t.Errorf("XLA_FLAGS %q becomes %q, want %q", given, got, want)
		}
	}
}
