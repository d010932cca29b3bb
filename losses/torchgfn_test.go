package losses_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

var update = flag.Bool("update", false, "write the numbers that the tests of python/torchgfn compare")

// ours is a set of points with this package's numbers about it.
type ours struct {
	Model    string               `json:"model"`
	Points   [][]float32          `json:"points,omitempty"` // centred; none stand for waves
	Labels   []int32              `json:"labels"`
	Energies [][]float64          `json:"energies"` // of points 2..N in each slot
	LogP     float64              `json:"log_p"`
	Losses   map[string][]float64 `json:"losses"` // by flows: MC, DB, TB, SubTB(0.9)
}

// The tests of python/torchgfn compare torchgfn's losses with those in ours.json, which are this package's.
func TestTorchgfn(t *testing.T) {
	path := filepath.Join("..", "python", "torchgfn", "ours.json")
	var sets []ours
	must.M(json.Unmarshal(must.M1(os.ReadFile(path)), &sets))
	for i := range sets {
		had := sets[i]
		sets[i].compute(t)
		if !*update {
			compare(t, sets[i], had)
		}
	}
	if *update {
		must.M(os.WriteFile(path, append(must.M1(json.Marshal(sets)), '\n'), 0o644))
	}
}

func (o *ours) compute(t *testing.T) {
	m := must.M1(train.ReadModel(filepath.Join("..", "pretrained", o.folder(), o.Model+".safetensors")))
	p := &problem{config: m.Config.Net, params: m.Params, b: 1, n: len(o.Labels)}
	p.labels, p.negative, p.x = o.Labels, o.Labels, slices.Concat(o.Points...)
	if p.x == nil {
		p.x = waves(p.n * p.config.Dim)
	}
	o.Energies = p.energies()[0].table[1:]
	o.Losses = map[string][]float64{}
	for _, flows := range []string{losses.FlowsMin, losses.FlowsFree} {
		values := p.values(t, exact, func(table models.Table, _ *graph.Node) []*graph.Node {
			return []*graph.Node{
				losses.MarginalConsistency(table, flows, 0), losses.DetailedBalance(table, flows),
				losses.TrajectoryBalance(table), losses.SubTrajectoryBalance(table, flows, 0.9),
				losses.NegLogLikelihood(table),
			}
		})
		o.Losses[flows] = nil
		for _, value := range values[:4] {
			o.Losses[flows] = append(o.Losses[flows], float64(value[0]))
		}
		o.LogP = -float64(values[4][0])
	}
}

// folder is where the weights of the model lie: those of the default answers are inside the program.
func (o *ours) folder() string {
	if o.Model == "mnist-gfncp-free" {
		return "embedded"
	}
	return "weights"
}

// waves are pixels from −1 to 1.
func waves(count int) []float32 {
	pixels := make([]float32, count)
	for i := range pixels {
		pixels[i] = float32(math.Sin(float64(i) * float64(i) / 5000))
	}
	return pixels
}

func compare(t *testing.T, got, want ours) {
	t.Helper()
	for n, row := range want.Energies {
		for k, e := range row {
			assertClose(t, got.Model+": energy", got.Energies[n][k], e, 1e-4, 1)
		}
	}
	assertClose(t, got.Model+": log p", got.LogP, want.LogP, 1e-3, 1)
	for flows, values := range want.Losses {
		for i, value := range values {
			assertClose(t, got.Model+": loss", got.Losses[flows][i], value, 1e-3, 1)
		}
	}
}
