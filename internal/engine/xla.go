//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"os"

	_ "github.com/gomlx/go-xla/compute/xla" // registers "xla"; it downloads nothing unless its autoinstall is linked

	_ "github.com/gfncp/gfncp/internal/engine/xlalog" // before go-xla hides XLA's errors
)

// xlaLinked tells whether this binary can load PJRT plugins at all; a CGO_ENABLED=0 or -tags=noxla build cannot.
const xlaLinked = true

func init() {
	if os.Getenv("GOPJRT_CUDA_CHECKS") == "" {
		_ = os.Setenv("GOPJRT_CUDA_CHECKS", "0") // its warnings are doctor's to give
	}
}
