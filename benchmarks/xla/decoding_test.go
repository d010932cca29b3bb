package xla

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

const (
	sets, setPoints = 3, 20
)

// networks are the kinds of energy networks, small, of vectors in the plane.
func networks() map[string]models.Config {
	with := func(change func(c *models.Config)) models.Config {
		c := small(models.Default(2))
		change(&c)
		return c
	}
	return map[string]models.Config{
		"plain":           with(func(*models.Config) {}),
		"online":          with(func(c *models.Config) { c.Online = true }),
		"extended":        with(func(c *models.Config) { c.Extended = true }),
		"extended online": with(func(c *models.Config) { c.Extended, c.Online = true, true }),
	}
}

func both(t *testing.T, c models.Config) (device, host *models.Network) {
	t.Helper()
	open := func(backend compute.Backend) *models.Network {
		return must.M1(models.NewNetwork(backend, c, drawnWeights(c.Layout(), 5)))
	}
	return open(plugin(t, "")), open(enginetest.Go())
}

// Every policy finds the same labels with the same probabilities, the device in its loop and the Go backend on the
// host: greedy, drawn, given, in any order, redrawn.
func TestDecoding(t *testing.T) {
	for name, c := range networks() {
		t.Run(name, func(t *testing.T) {
			device, host := both(t, c)
			x := points(7, sets*setPoints, 2)
			on := must.M1(sampling.Encode(context.Background(), device, x, sets, setPoints))
			off := must.M1(sampling.Encode(context.Background(), host, x, sets, setPoints))
			var given [][]int32
			for policy, p := range map[string]func() sampling.Policy{
				"greedy": func() sampling.Policy { return sampling.Greedy() },
				"ancestral": func() sampling.Policy {
					return sampling.Ancestral(rand.New(rand.NewPCG(1, 2)), sets, setPoints)
				},
			} {
				want := must.M1(off.Run(off.EachSet(), p()))
				compareResults(t, policy, must.M1(on.Run(on.EachSet(), p())), want)
				given = want.Labels
			}
			backwards := off.EachSet()
			for i := range backwards {
				for point := range int32(setPoints) {
					backwards[i].Order = append(backwards[i].Order, setPoints-1-point)
				}
			}
			compareResults(t, "given", must.M1(on.Run(backwards, sampling.Given(given))),
				must.M1(off.Run(backwards, sampling.Given(given))))
			again := must.M1(on.Redraws(rand.New(rand.NewPCG(3, 4)), on.EachSet(), given, 0.5))
			wanted := must.M1(off.Redraws(rand.New(rand.NewPCG(3, 4)), off.EachSet(), given, 0.5))
			if !slices.EqualFunc(again, wanted, slices.Equal) {
				t.Errorf("redrawn %v, want %v", again, wanted)
			}
		})
	}
}

func compareLabels(t *testing.T, policy string, got, want *sampling.Result) {
	t.Helper()
	if !slices.EqualFunc(got.Labels, want.Labels, slices.Equal) {
		t.Errorf("%s: labels %v, want %v", policy, got.Labels, want.Labels)
	}
	allNear(t, policy+", log-probability", got.LogProb, want.LogProb, 1e-4)
}

func compareResults(t *testing.T, policy string, got, want *sampling.Result) {
	t.Helper()
	compareLabels(t, policy, got, want)
	allNear(t, policy+", final energy", got.Final, want.Final, 1e-4)
	allNear(t, policy+", entropy", slices.Concat(got.Entropy...), slices.Concat(want.Entropy...), 1e-3)
}

// What runs on the host loop, call by call, runs on the interface as well: energies, beam search,
// predictions, streams.
func TestHostLoops(t *testing.T) {
	for name, c := range networks() {
		t.Run(name, func(t *testing.T) {
			device, host := both(t, c)
			x, labels := points(9, setPoints, 2), make([]int32, setPoints)
			for i := range labels {
				labels[i] = int32(i % 4)
			}
			var flat [2][]float64
			for i, net := range []*models.Network{device, host} {
				flat[i] = slices.Concat(slices.Concat(must.M1(net.Tables(x, labels, 1, setPoints))...)...)
			}
			allNear(t, "energies", flat[0], flat[1], 1e-4)
			on := must.M1(sampling.Encode(context.Background(), device, x, 1, setPoints))
			off := must.M1(sampling.Encode(context.Background(), host, x, 1, setPoints))
			got, want := must.M1(on.Beam(on.EachSet()[0], 3)), must.M1(off.Beam(off.EachSet()[0], 3))
			compareLabels(t, "beam", got, want)
			given := [][]int32{labels}
			allNear(t, "predictions", predicted(t, device, x, given), predicted(t, host, x, given), 1e-4)
			if c.Online {
				allNear(t, "stream", streamed(device, x), streamed(host, x), 1e-4)
			}
		})
	}
}

func predicted(t *testing.T, net *models.Network, x []float32, labels [][]int32) []float64 {
	t.Helper()
	p := must.M1(sampling.NewPredictor(t.Context(), net, x, labels))
	further := points(11, 6, 2)
	rows := make([][]float64, 6)
	must.M(p.Each(t.Context(), 6, func(from, to int) []float32 { return further[2*from : 2*to] },
		func(point int, probs [][]float64) { rows[point] = slices.Clone(probs[0]) }))
	return slices.Concat(rows...)
}

// streamed are the energies of points that come one by one.
func streamed(net *models.Network, x []float32) (energies []float64) {
	s := must.M1(sampling.NewStepper(net))
	for i := range len(x) / 2 {
		d := must.M1(s.Next(x[2*i : 2*i+2]))
		energies = append(energies, d.Energy)
	}
	return energies
}

// The peers cluster alike.
func TestPeersCluster(t *testing.T) {
	for name, c := range trainings() {
		if !c.IsPeer() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			m := &train.Model{Config: c, Params: drawnWeights(c.Layout(), 6)}
			x := points(13, 2*12, 2)
			got := must.M1(must.M1(m.Clusterer(plugin(t, ""))).Cluster(rand.New(rand.NewPCG(7, 8)), x, 2, 12))
			want := must.M1(must.M1(m.Clusterer(enginetest.Go())).Cluster(rand.New(rand.NewPCG(7, 8)), x, 2, 12))
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("labels %v, want %v", got, want)
			}
		})
	}
}
