//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gomlx/go-xla/installer"

	"github.com/gfncp/gfncp/internal/usererr"
)

// installCUDA downloads the CUDA plugin and its libraries into a folder; nil where there is none (see
// plugininstall_cuda.go).
var installCUDA func(folder string, verbosity installer.VerbosityLevel) error

// InstallPlugin downloads a PJRT plugin, "cpu" (from github.com) or "cuda" (from pypi.org, with NVIDIA's libraries),
// with go-xla's own installer, into ~/.local/lib/go-xla, where it is found from then on. Each archive has to have the
// SHA-256 that its publisher states. It returns the plugin's path. It runs only when a user asks for it by name;
// verbose narrates on stdout.
//
// An unknown platform, and one without a plugin for this machine, is a usererr.Error.
func InstallPlugin(platform string, verbose bool) (string, error) {
	verbosity := installer.Quiet
	if verbose {
		verbosity = installer.Normal
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("install a PJRT plugin: %w", err)
	}
	folder := pluginFolder(home)
	err = Try(func() error {
		switch {
		case platform == "cpu":
			return installCPU(folder, verbosity)
		case platform == "cuda" && installCUDA != nil:
			return installCUDA(folder, verbosity)
		case platform == "cuda":
			return usererr.New("take --install-pjrt cpu", "there is no CUDA plugin for this kind of machine")
		default:
			return usererr.New("choose cpu or cuda", "PJRT plugin %q is not known", platform)
		}
	})
	if usererr.Is(err) {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("install the PJRT %s plugin: %w; this needs the network (cpu: github.com, cuda: "+
			"pypi.org): where there is none, bring a plugin and set %s to its folder or give the backend "+
			"xla:/path/of/plugin.so", platform, err, pluginPathEnv)
	}
	for _, place := range []string{folder, filepath.Join(folder, "nvidia")} {
		if path := pluginIn(place, pluginPatterns(platform)); path != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("install the PJRT %s plugin: the installer reported success but left none in %s",
		platform, folder)
}
