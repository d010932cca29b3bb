//go:build cgo && !noxla && linux && amd64

package engine

import "github.com/gomlx/go-xla/installer"

// cudaPackage is the plugin that go-xla's own automatic installation takes.
const cudaPackage = "cuda13"

func init() {
	installCUDA = func(folder string, verbosity installer.VerbosityLevel) error {
		// The installer begins by removing what is installed: first make sure that there is a network to replace it
		// from.
		if _, _, err := installer.CudaGetPJRTPipInfo(cudaPackage); err != nil {
			return err
		}
		return installer.CudaInstall(cudaPackage, "latest", folder, true, verbosity)
	}
}
