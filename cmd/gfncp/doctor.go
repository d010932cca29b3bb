package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/train"
)

// diagnosis is the report of doctor.
type diagnosis struct {
	SchemaVersion int               `json:"schema_version"`
	Version       string            `json:"version"`
	Machine       string            `json:"machine"`
	Cores         int               `json:"cores"`
	SIMD          bool              `json:"simd"`
	Modules       map[string]string `json:"modules"`
	Plugins       map[string]string `json:"plugins"`
	Searched      string            `json:"plugin_search_path"`
	Libraries     []string          `json:"library_folders,omitempty"` // the CUDA plugin's, missing in LD_LIBRARY_PATH
	Card          bool              `json:"nvidia_card"`
	Backend       string            `json:"backend"`
	Config        string            `json:"backend_config"`
	Reason        string            `json:"backend_reason"`
	TF32          bool              `json:"tf32"` // float32 matrix products in TF32
	Description   string            `json:"backend_description"`
	Devices       []string          `json:"devices,omitempty"`         // text of an XLA backend about each
	PluginAPI     string            `json:"plugin_api,omitempty"`      // the version of the PJRT plugin's API
	Failure       string            `json:"backend_failure,omitempty"` // why it could not be opened
	Models        []string          `json:"models"`
	Deviation     float64           `json:"energy_deviation"` // largest relative difference to the float64 reference
	Healthy       bool              `json:"healthy"`
}

// doctor prints its findings also if the backend does not open: then users need them most.
func doctor(c *cli.Context) error {
	choice, err := engine.Choose(c.String("backend"))
	if err != nil {
		return err
	}
	d := diagnose(choice)
	failed := d.open(choice)
	if failed != nil {
		d.Failure = failed.Error()
	}
	d.Healthy = failed == nil && d.Deviation < d.HealthyBelow()
	if err := show(c, d, "doctor", d); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if !d.Healthy {
		return fmt.Errorf("energies on %s differ from the reference by %.2g relative, more than %g",
			d.Backend, d.Deviation, d.HealthyBelow())
	}
	return nil
}

// diagnose returns the findings that need no open backend.
func diagnose(choice engine.Choice) *diagnosis {
	d := &diagnosis{
		SchemaVersion: 1, Version: version(), Machine: machine(), Cores: runtime.GOMAXPROCS(0), SIMD: engine.SIMD(),
		Modules: modules(), Plugins: engine.Plugins(), Searched: engine.SearchedPlaces(),
		Card: engine.CardPresent(), Backend: choice.Name, Config: choice.Config,
		Reason: choice.Reason, TF32: choice.TF32(),
		Models: root.Models(),
	}
	known := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	d.Libraries = slices.DeleteFunc(engine.LibraryFolders(choice.Plugin), func(folder string) bool {
		return slices.Contains(known, folder)
	})
	return d
}

// open starts the backend and checks a model's energies on it.
func (d *diagnosis) open(choice engine.Choice) error {
	if plugin := choice.Plugin; plugin != "" {
		if found, err := pjrtapi.Prepare(plugin); err == nil { // if not, Open says why
			d.PluginAPI = found.String()
		}
	}
	backend, err := choice.Open()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	d.Description = backend.Description()
	if !engine.OnGo(backend) {
		for i := range backend.NumDevices() {
			d.Devices = append(d.Devices, backend.DeviceDescription(compute.DeviceNum(i)))
		}
	}
	m, err := root.Find(checkedModel)
	if err != nil {
		return err
	}
	d.Deviation, err = selfCheck(m, backend)
	return err
}

// checkedModel is the model whose energies doctor compares with referenceEnergies.
const checkedModel = "mog-gfncp-free"

// referenceEnergies are the energies of selfCheck's set by the literal form of the network in float64, from the tests
// of package models. Row n holds the energies of point n's candidates.
var referenceEnergies = [][]float64{
	{},
	{-2.458545, -1.273415},
	{0.2355496, -3.482603},
	{17.7941, -2.268745, -3.230427},
	{49.58558, 30.64405, 18.53913},
	{94.53951, 46.74422, 32.25826},
	{131.6484, 68.82576, 34.10743, 34.91028},
	{163.0996, 87.92778, 36.50017, 35.90292},
}

// selfCheck returns the largest relative deviation of a model's energies on a backend, of a small fixed set.
func selfCheck(m *train.Model, backend compute.Backend) (float64, error) {
	net, err := m.Network(backend)
	if err != nil {
		return 0, err
	}
	labels := []int32{0, 0, 1, 0, 1, 2, 2, 1}
	x := make([]float32, len(labels)*net.Config.Dim)
	for i := range x {
		x[i] = float32(10 * math.Sin(float64(3*i+1)))
	}
	tables, err := net.Tables(x, labels, 1, len(labels))
	if err != nil {
		return 0, err
	}
	var worst float64
	for n, row := range referenceEnergies {
		for k, want := range row {
			worst = max(worst, math.Abs(tables[0][n][k]-want)/max(1, math.Abs(want)))
		}
	}
	return worst, nil
}

func modules() map[string]string {
	found := map[string]string{}
	for _, m := range buildInfo().Deps {
		if strings.HasPrefix(m.Path, "github.com/gomlx/") || m.Path == "gonum.org/v1/gonum" {
			found[m.Path] = m.Version
		}
	}
	return found
}

// GODEBUG are the settings of Go's runtime.
func (d *diagnosis) GODEBUG() string { return os.Getenv("GODEBUG") }

// HealthyBelow bounds the relative deviation of an energy that is right: by how many bits matrix products keep.
func (d *diagnosis) HealthyBelow() float64 {
	if d.TF32 { // 10 bits
		return 1e-1
	}
	return 1e-4
}

// SIMDState says whether the build is a fast one.
func (d *diagnosis) SIMDState() string {
	switch {
	case engine.Faster() != "":
		return engine.Faster()
	case !d.SIMD:
		return "built without GOEXPERIMENT=simd"
	default:
		return "built with GOEXPERIMENT=simd"
	}
}
