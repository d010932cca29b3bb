package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/pretrained"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "report this machine, the backend with the reason for its choice, and whether its numbers are right",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			backendFlag(),
		},
		Action: doctor,
	}
}

// diagnosis is what doctor finds.
type diagnosis struct {
	SchemaVersion int               `json:"schema_version"`
	Version       string            `json:"version"`
	Machine       string            `json:"machine"`
	Cores         int               `json:"cores"`
	SIMD          bool              `json:"simd"`
	ExpSafe       bool              `json:"exp_safe"`
	Modules       map[string]string `json:"modules"`
	Plugins       map[string]string `json:"plugins"`
	Searched      string            `json:"plugin_search_path"`
	Backend       string            `json:"backend"`
	Config        string            `json:"backend_config"`
	Reason        string            `json:"backend_reason"`
	Description   string            `json:"backend_description"`
	Models        []string          `json:"models"`
	Deviation     float64           `json:"energy_deviation"` // largest relative difference to the float64 reference
	Healthy       bool              `json:"healthy"`
}

// healthyBelow is the largest relative deviation of an energy in float32 that counts as right.
const healthyBelow = 1e-4

func doctor(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	choice, err := engine.Choose(c.String("backend"))
	if err != nil {
		return err
	}
	d := diagnosis{
		SchemaVersion: 1, Version: version(), Machine: machine(), Cores: runtime.GOMAXPROCS(0), SIMD: engine.SIMD(),
		ExpSafe: engine.PreemptionSafe(), Modules: modules(), Plugins: engine.Plugins(), Searched: engine.SearchedPlaces(),
		Backend: choice.Name, Config: choice.Config, Reason: choice.Reason, Models: pretrained.Names(),
	}
	backend, err := choice.Open()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	d.Description = backend.Description()
	m, err := pretrained.Open(d.Models[0])
	if err != nil {
		return err
	}
	net, err := models.NewNetwork(backend, m.Config.Net, m.Params)
	if err != nil {
		return err
	}
	if d.Deviation, err = selfCheck(net, m.Params); err != nil {
		return err
	}
	d.Healthy = d.Deviation < healthyBelow
	if err := printDiagnosis(c, d); err != nil {
		return err
	}
	if !d.Healthy {
		return fmt.Errorf("energies on %s differ from the reference by %.2g relative, more than %g", d.Backend, d.Deviation, healthyBelow)
	}
	return nil
}

// selfCheck compares the backend's energies of a small fixed set with the literal form in float64.
func selfCheck(net *models.Network, params models.Params) (float64, error) {
	labels := []int32{0, 0, 1, 0, 1, 2, 2, 1}
	x := make([]float32, len(labels)*net.Config.Dim)
	for i := range x {
		x[i] = float32(10 * math.Sin(float64(3*i+1)))
	}
	tables, err := net.Tables(x, labels, 1, len(labels))
	if err != nil {
		return 0, err
	}
	literal, err := models.NewLiteral(net.Config, params)
	if err != nil {
		return 0, err
	}
	var worst float64
	for n, row := range literal.Table(x, labels) {
		for k := range tables[0][n] {
			worst = max(worst, math.Abs(tables[0][n][k]-row[k])/max(1, math.Abs(row[k])))
		}
	}
	return worst, nil
}

// modules returns the versions of the libraries that decide the numbers.
func modules() map[string]string {
	found := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return found
	}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, "github.com/gomlx/") || m.Path == "gonum.org/v1/gonum" {
			found[m.Path] = m.Version
		}
	}
	return found
}

func printDiagnosis(c *cli.Context, d diagnosis) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, d)
	}
	out := c.App.Writer
	fmt.Fprintf(out, "gfncp     %s\nmachine   %s\n", d.Version, d.Machine)
	fmt.Fprintf(out, "backend   %s (%s): %s\n", d.Backend, d.Config, d.Reason)
	if len(d.Plugins) == 0 {
		fmt.Fprintf(out, "plugins   none in %s\n", d.Searched)
	}
	for _, platform := range slices.Sorted(maps.Keys(d.Plugins)) {
		fmt.Fprintf(out, "plugin    %s: %s\n", platform, d.Plugins[platform])
	}
	simd := "built with GOEXPERIMENT=simd"
	if !d.SIMD {
		simd = "built without GOEXPERIMENT=simd: the Go backend is about 7 times slower; build or run with it, as just does"
	} else if !d.ExpSafe {
		simd += ", but GODEBUG=asyncpreemptoff=1 is not set: exp may be 140 times slower at random"
	}
	fmt.Fprintf(out, "simd      %s\n", simd)
	if godebug := os.Getenv("GODEBUG"); godebug != "" {
		fmt.Fprintf(out, "GODEBUG   %s\n", godebug)
	}
	for _, path := range slices.Sorted(maps.Keys(d.Modules)) {
		fmt.Fprintf(out, "module    %s %s\n", path, d.Modules[path])
	}
	fmt.Fprintf(out, "models    %s\n", strings.Join(d.Models, ", "))
	_, err := fmt.Fprintf(out, "numbers   energies deviate from the float64 reference by %.1e relative (healthy below %g)\n", d.Deviation, healthyBelow)
	return err
}
