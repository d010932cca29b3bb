package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

// randomSets draws b sets of n points in d dimensions with random legal labels.
func randomSets(rng *rand.Rand, b, n, d int) (x []float32, labels []int32) {
	x = make([]float32, b*n*d)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * 3)
	}
	for range b {
		k := int32(0)
		for range n {
			c := rng.Int32N(k + 1)
			labels = append(labels, c)
			if c == k {
				k++
			}
		}
	}
	return x, labels
}

func smallConfig(online bool) models.Config {
	return models.Config{Dim: 3, Hidden: 16, Embed: 8, Global: 24, Online: online}
}

// smallConfigs are the kinds of network: the paper's, online, and the extended ones.
func smallConfigs() map[string]models.Config {
	extended := func(c models.Config) models.Config { c.Extended = true; return c }
	return map[string]models.Config{
		"paper": smallConfig(false), "online": smallConfig(true),
		"extended": extended(smallConfig(false)), "extended online": extended(smallConfig(true)),
	}
}

// The folded, packed table equals the literal definition to 1e-4 relative, with and without padding.
func TestTableEqualsLiteralForm(t *testing.T) {
	exact := models.Buckets{Points: identity, Rows: identity, Slots: identity}
	for kind, c := range smallConfigs() {
		for name, buckets := range map[string]models.Buckets{
			"exact": exact, "fine": models.FineBuckets, "coarse": models.CoarseBuckets,
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				ps := c.Init(rng)
				net := must.M1(models.NewNetwork(enginetest.Go(), c, ps))
				net.Buckets = buckets
				const b, n = 2, 9
				x, labels := randomSets(rng, b, n, c.Dim)
				tables := must.M1(net.Tables(x, labels, b, n))
				literal := models.NewLiteral(c, ps)
				for set := range b {
					want := literal.Table(x[set*n*c.Dim:(set+1)*n*c.Dim], labels[set*n:(set+1)*n])
					want[0] = nil
					assertTablesClose(t, tables[set], want, 1e-4)
				}
			})
		}
	}
}

func identity(n int) int { return n }

func assertTablesClose(t *testing.T, got, want [][]float64, relative float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for n := range want {
		if len(got[n]) != len(want[n]) {
			t.Fatalf("row %d has %d candidates, want %d", n, len(got[n]), len(want[n]))
		}
		for k := range want[n] {
			if !(math.Abs(got[n][k]-want[n][k]) <= relative*math.Max(1e-2, math.Abs(want[n][k]))) {
				t.Fatalf("E[%d,%d] = %g, want %g", n, k, got[n][k], want[n][k])
			}
		}
	}
}

// gradientOf are a sum over a table's legal energies, each with a weight of its own, and its gradient by the network's
// weights, of labelled sets as for the host, or as for a device.
func gradientOf(t *testing.T, c models.Config, x []float32, labels []int32, b, n int, onDevice bool) [][]float32 {
	t.Helper()
	ps := c.Init(rand.New(rand.NewPCG(5, 0)))
	build := func(in []*Node) []*Node {
		weights, rest := in[:len(ps)], in[len(ps):]
		table := models.Fold(c, weights).Table(models.ListedInputs(rest, onDevice))
		legal := LessThan(table.E, Const(table.E.Graph(), float32(models.Illegal/2)))
		valid := BroadcastToShape(InsertAxes(table.Valid, 2), table.E.Shape())
		weigh := func(x *Node) *Node { // by point and slot
			scale := AddScalar(Iota(x.Graph(), x.Shape(), 1), 1)
			if x.Rank() == 3 {
				scale = Mul(scale, AddScalar(Iota(x.Graph(), x.Shape(), 2), 0.5))
			}
			return Mul(x, scale)
		}
		energies := Where(LogicalAnd(legal, valid), weigh(table.E), ZerosLike(table.E))
		taken := Where(table.Valid, weigh(table.Taken), ZerosLike(table.Taken))
		loss := Add(ReduceAllSum(energies), ReduceAllSum(taken))
		gradient := Gradient(loss, weights...)
		for _, node := range loss.Graph().Nodes() {
			if onDevice && node.Type() == NodeTypeScatterSum {
				t.Errorf("a scatter: %s", node)
			}
		}
		return append([]*Node{loss}, gradient...)
	}
	x = c.WithAlpha(x, n, nil)
	in := ps.Tensors()
	buckets := models.FineBuckets
	if onDevice {
		buckets = models.CoarseBuckets
	}
	l := must.M1(models.ListCandidates(labels, b, n, buckets))
	in = append(append(in, l.PadPoints(x, c.Inputs())), l.Tensors()...)
	return enginetest.Run(t, build, in...)
}

// Gathers whose gradients gather have the gradients of those that scatter, in every kind of network.
func TestGatheredGradientsEqualScattered(t *testing.T) {
	for name, c := range smallConfigs() {
		for _, n := range []int{5, 32, 45} {
			t.Run(fmt.Sprintf("%s/N=%d", name, n), func(t *testing.T) {
				const b = 2
				x, labels := randomSets(rand.New(rand.NewPCG(3, uint64(n))), b, n, c.Dim)
				want := gradientOf(t, c, x, labels, b, n, false)
				got := gradientOf(t, c, x, labels, b, n, true)
				most := 0.0
				for i := range want {
					scale := 0.0
					for _, v := range want[i] {
						scale = max(scale, math.Abs(float64(v)))
					}
					most = max(most, scale)
					for j, v := range want[i] {
						if !(math.Abs(float64(got[i][j]-v)) <= 1e-4*scale+1e-9*most) { // some are 0 but for rounding
							t.Fatalf("result %d at %d is %g, want %g (of %g)", i, j, got[i][j], v, scale)
						}
					}
				}
			})
		}
	}
}
