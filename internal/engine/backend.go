package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // registers "go"

	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/usererr"
)

// BackendEnv is the environment variable that names the backend when no flag does.
const BackendEnv = compute.ConfigEnvVar

// goBackend runs the graph's nodes one by one, each call on the goroutine that makes it (withoutWorkers). In GoMLX's
// other modes concurrent calls deadlock without an error once their nodes hold all workers and wait for more.
const goBackend = "go:ops_sequential"

// GoBackendName is GoMLX's name of its Go backend.
const GoBackendName = "Go Backend"

// OnGo reports whether a backend is GoMLX's Go backend.
func OnGo(backend compute.Backend) bool { return backend.Name() == GoBackendName }

// Choice is a backend configuration with the reason for choosing it.
type Choice struct {
	Config string // GoMLX's configuration string, e.g. "go:ops_sequential" or "xla:/path/plugin.so,tf32=false"
	Name   string // short name for tables and logs: "go", "xla:cuda", "xla:cpu"
	Reason string // one sentence for doctor
	Plugin string // the path of the PJRT plugin; empty for the Go backend
}

// Choose resolves a backend name. "auto" (or "") takes the environment variable GOMLX_BACKEND if it is set, else CUDA
// if a plugin and a card are found, else the Go backend, which is faster than XLA on a processor
// (docs/performance.md). "go", "xla:cpu" and "xla:cuda" force a backend. "xla:/path/of/plugin.so" names a PJRT plugin.
// XLA's names take GoMLX's options after a comma ("xla:cuda,tf32=true"). Choose loads, downloads and prints nothing.
//
// It returns a *usererr.Error if a forced backend is unknown or not available.
func Choose(name string) (Choice, error) {
	if name == "" || name == "auto" {
		env := os.Getenv(BackendEnv)
		if env == "" || env == "auto" {
			return automatic(findPlugin("cuda"), CardPresent()), nil
		}
		choice, err := named(env)
		choice.Reason = BackendEnv + "=" + env + " in the environment"
		return choice, err
	}
	return named(name)
}

// automatic is the rule behind "auto". cuda is the path of a CUDA plugin, "" without one; card tells whether a card was
// seen.
func automatic(cuda string, card bool) Choice {
	switch {
	case xlaLinked && cuda != "" && card:
		return xlaChoice(cuda, "cuda", "", "a CUDA plugin ("+cuda+") and an NVIDIA card are here")
	case !xlaLinked:
		return onGo("this binary was built without cgo, so it has the Go backend alone")
	case cuda != "":
		return onGo("a CUDA plugin is installed (" + cuda + ") but no NVIDIA card was found")
	}
	return onGo("no CUDA plugin is installed")
}

func onGo(reason string) Choice { return Choice{Config: goBackend, Name: "go", Reason: reason} }

func named(name string) (Choice, error) {
	if err := CheckName(name); err != nil {
		return Choice{}, err
	}
	if strings.HasPrefix(name, "xla:") {
		return namedXLA(name)
	}
	return onGo("asked for by name"), nil
}

// CheckName returns a *usererr.Error for a name that Choose knows on no machine.
func CheckName(name string) error {
	kind, options, _ := strings.Cut(name, ":")
	plugin, _, _ := strings.Cut(options, ",")
	switch {
	case kind == "go" && options != "" && name != goBackend:
		return usererr.New("use backend go", "backend %s: options of the Go backend are not supported", name)
	case kind == "xla" && plugin != "cpu" && plugin != "cuda" && !filepath.IsAbs(plugin):
		return usererr.New("choose one of xla:cpu, xla:cuda, xla:/path/of/plugin.so", "backend %q is unknown", name)
	case name == "" || name == "auto" || kind == "xla" || kind == "go":
		return nil
	}
	return usererr.Unknown(name, []string{"auto", "go", "xla:cpu", "xla:cuda"}, "backend %q is unknown", name)
}

// OpenGo starts the Go backend. Finalize it when done.
func OpenGo() (compute.Backend, error) { return onGo("").Open() }

// Open starts the chosen backend. Finalize it when done.
func (c Choice) Open() (backend compute.Backend, err error) {
	if c.Plugin != "" {
		if _, err := os.Stat(c.Plugin); errors.Is(err, fs.ErrNotExist) {
			return nil, usererr.File(c.Plugin, 0, "pip install --force-reinstall brings a plugin, or give another path",
				"No such file or directory").Because(err)
		}
		if strings.HasPrefix(c.Name, "xla:cuda") {
			if err := setGPUFlags(); err != nil {
				return nil, fmt.Errorf("open backend %s: %w", c.Name, err)
			}
		}
		if _, err := pjrtapi.Prepare(c.Plugin); err != nil {
			return nil, fmt.Errorf("open backend %s (%s): %w", c.Name, c.Config, err)
		}
	}
	err = Try(func() error {
		backend, err = compute.NewWithConfig(c.Config)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open backend %s (%s): %w", c.Name, c.Config, err)
	}
	if OnGo(backend) {
		err = withoutWorkers(backend)
		usedGo.Store(true)
		if simdBuild {
			clearHeapEnd()
		}
	}
	if err != nil {
		backend.Finalize()
		return nil, err
	}
	return backend, nil
}
