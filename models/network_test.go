package models_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
)

// newPair returns the same random network in its fast and its literal form. The weights are larger than a training's
// first ones, so that the energies differ.
func newPair(c models.Config, seed uint64) (*models.Network, *models.Literal) {
	ps := modelstest.Weights(c.Layout(), rand.New(rand.NewPCG(seed, 0)), 2)
	return must.M1(models.NewNetwork(enginetest.Go(), c, ps)), models.NewLiteral(c, ps)
}

// Folded.Nodes and Unpack are inverse to each other.
func TestUnpackInvertsNodes(t *testing.T) {
	for kind, c := range smallConfigs() {
		net, _ := newPair(c, 1)
		identity := engine.NewFunc(enginetest.Go(), "identity", func(in []*graph.Node) []*graph.Node {
			out := models.Unpack(c, in).Nodes()
			if !slices.Equal(in, out) {
				t.Errorf("%s: %d nodes went in and others came out (%d)", kind, len(in), len(out))
			}
			return out
		})
		must.M1(identity.Call(net.Folded()...))
	}
}

// FinalEnergy of any labels equals the literal energy of the whole labelled set, whatever the padding, and agrees with
// Table's Final on the labels of the table.
func TestFinalEnergyEqualsLiteralForm(t *testing.T) {
	const b, n = 3, 10
	for kind, c := range smallConfigs() {
		for padName, pad := range map[string]models.Buckets{
			"exact": {Points: identity, Rows: identity, Slots: identity},
			"fine":  models.FineBuckets, "coarse": models.CoarseBuckets,
		} {
			t.Run(kind+"/"+padName, func(t *testing.T) {
				net, literal := newPair(c, 2)
				rng := rand.New(rand.NewPCG(3, 0))
				x, labels := randomSets(rng, b, n, c.Dim)
				_, others := randomSets(rng, b, n, c.Dim)
				copy(others, make([]int32, n))                          // one cluster
				copy(others[n:], []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) // N clusters
				energy := func(in []*graph.Node) []*graph.Node {
					folded := len(net.Folded())
					f := models.Unpack(c, in[:folded])
					table := f.Table(models.ListedInputs(in[folded:], false))
					rest := in[folded+models.NumListedInputs:]
					return []*graph.Node{f.FinalEnergy(table, rest[0], rest[1]), table.Final}
				}
				list := must.M1(models.ListCandidates(labels, b, n, pad))
				in := append(slices.Clone(net.Folded()), list.PadPoints(c.WithAlpha(x, n, nil), c.Inputs()))
				in = append(append(in, list.Tensors()...),
					models.PadLabels(slices.Collect(slices.Chunk(others, n)), list.N, pad)...)
				out := enginetest.Run(t, energy, in...)
				gotOthers, gotOwn := out[0], out[1]
				for set := range b {
					points := x[set*n*c.Dim : (set+1)*n*c.Dim]
					wantOthers := literal.Energy(points, others[set*n:(set+1)*n])
					wantOwn := literal.Energy(points, labels[set*n:(set+1)*n])
					assertTablesClose(t, [][]float64{{float64(gotOthers[set]), float64(gotOwn[set])}},
						[][]float64{{wantOthers, wantOwn}}, 1e-4)
				}
			})
		}
	}
}

// accumulate adds b to a.
func accumulate(a, b []float32) {
	for i, v := range b {
		a[i] += v
	}
}

// One decoding step by hand, from Encode's h' and u' and Score's g', gives the literal energies of all candidates.
func TestScoreEqualsLiteralForm(t *testing.T) {
	const n, step = 9, 6 // six points are assigned, the seventh is next
	for _, c := range smallConfigs() {
		net, literal := newPair(c, 4)
		x, _ := randomSets(rand.New(rand.NewPCG(5, 0)), 1, n, c.Dim)
		labels := []int32{0, 1, 0, 2, 1, 1, 0, 0, 0}
		const clusters = 3
		h, u := must.M2(net.Encode(context.Background(), x, n))
		w, v := c.Width(), c.StateWidth()
		wide := func(values []float32, i int) []float32 { return values[i*w : (i+1)*w] }
		of := func(values []float32, i int) []float32 { return values[i*v : (i+1)*v] }
		rows := net.Buckets.Rows(clusters + 1)
		sums, rest := make([]float32, rows*w), make([]float32, rows*v)
		gammas, energy := make([]float32, rows*v), make([]float32, rows)
		for i, k := range labels[:step] {
			accumulate(wide(sums, int(k)), wide(h, i))
		}
		must.M(net.Score(sums, rest, rows, gammas, energy)) // for g' of the clusters as they are
		gammas = slices.Clone(gammas)
		for k := range clusters + 1 {
			accumulate(wide(sums, k), wide(h, step))
			for j := range clusters {
				if j != k {
					accumulate(of(rest, k), of(gammas, j))
				}
			}
			for i := step + 1; i < n; i++ {
				accumulate(of(rest, k), of(u, i))
			}
		}
		must.M(net.Score(sums, rest, rows, make([]float32, rows*v), energy))
		got := make([]float64, clusters+1)
		for k := range got {
			got[k] = float64(energy[k])
		}
		assertTablesClose(t, [][]float64{got}, [][]float64{literal.Table(x, labels)[step]}, 1e-4)
	}
}

// Encode gives each point its own embedding, whatever is padded or encoded beside it; online, u' is zero.
func TestEncodePaddingHasNoEffect(t *testing.T) {
	for kind, c := range smallConfigs() {
		net, _ := newPair(c, 6)
		const m = 21
		x, _ := randomSets(rand.New(rand.NewPCG(7, 0)), 1, m, c.Dim)
		before := slices.Clone(x)
		net.Buckets.Rows = identity
		wantH, wantU := must.M2(net.Encode(context.Background(), x, 1))
		net.Buckets.Rows = func(n int) int { return n + 40 }
		h, u := must.M2(net.Encode(context.Background(), x, 1))
		if !slices.Equal(x, before) {
			t.Error("Encode changed its input")
		}
		assertSame(t, "h'", h, wantH)
		assertSame(t, "u'", u, wantU)
		if zero := slices.Max(u) == 0 && slices.Min(u) == 0; zero != c.Online {
			t.Errorf("%s: u' is zero: %v", kind, zero)
		}
		alone, _ := must.M2(net.Encode(context.Background(), x[5*c.Dim:6*c.Dim], 1))
		assertSame(t, "h' of one point", alone, wantH[5*c.Width():6*c.Width()])
	}
}

// assertSame compares values that may differ by float32 rounding alone.
func assertSame(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if d := float64(got[i]) - float64(w); d > 1e-5 || d < -1e-5 {
			t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], w)
		}
	}
}

// Update replaces the weights in use; wrong ones are an error and leave the old ones in place.
func TestUpdate(t *testing.T) {
	c := smallConfig(false)
	net, _ := newPair(c, 8)
	other := c.Init(rand.New(rand.NewPCG(9, 0)))
	x, labels := randomSets(rand.New(rand.NewPCG(10, 0)), 1, 6, c.Dim)
	must.M(net.Update(other.Tensors()))
	want := models.NewLiteral(c, other).Table(x, labels)
	want[0] = nil
	assertTablesClose(t, must.M1(net.Tables(x, labels, 1, 6))[0], want, 1e-4)
	if err := net.Update(smallConfig(true).Init(rand.New(rand.NewPCG(9, 0))).Tensors()); err == nil {
		t.Error("the weights of another network were accepted")
	}
	assertTablesClose(t, must.M1(net.Tables(x, labels, 1, 6))[0], want, 1e-4)
}

// Training folds the weights within its graph; what that graph encodes is what a network with packed weights does, for
// vectors and for images.
func TestFoldWithinTheGraph(t *testing.T) {
	images := smallConfig(false)
	images.Encoder, images.Dim = models.EncoderConv, models.ImageSide*models.ImageSide
	for name, c := range map[string]models.Config{"vectors": smallConfig(false), "images": images} {
		rng := rand.New(rand.NewPCG(1, 2))
		weights := c.Init(rng)
		x, _ := randomSets(rng, 1, 3, c.Dim)
		h, u := must.M2(must.M1(models.NewNetwork(enginetest.Go(), c, weights)).Encode(context.Background(), x, 1))
		in := append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, 3, c.Dim)}, weights.Tensors()...)
		got := enginetest.Run(t, func(in []*graph.Node) []*graph.Node {
			h, u := models.Fold(c, in[1:]).Encode(in[0], nil)
			return []*graph.Node{h, u}
		}, in...)
		assertSame(t, name+": h'", got[0], h)
		assertSame(t, name+": u'", got[1], u)
	}
}

// More points than are encoded at once, and just as many, have the embeddings that they have in parts.
func TestEncodeInParts(t *testing.T) {
	config := smallConfig(false)
	net, _ := newPair(config, 31)
	const most = 2048
	x, _ := randomSets(rand.New(rand.NewPCG(32, 0)), 1, most+37, config.Dim)
	h, u := must.M2(net.Encode(context.Background(), x, 1))
	for _, part := range [][2]int{{0, most}, {most - 5, most + 5}, {most, most + 37}} {
		from, to := part[0], part[1]
		partH, partU := must.M2(net.Encode(context.Background(), x[from*config.Dim:to*config.Dim], 1))
		assertSame(t, "h'", partH, h[from*config.Hidden:to*config.Hidden])
		assertSame(t, "u'", partU, u[from*config.Hidden:to*config.Hidden])
	}
}

// changedTail returns x with the coordinates from point on replaced.
func changedTail(rng *rand.Rand, x []float32, point, d int) []float32 {
	changed := slices.Clone(x)
	for i := point * d; i < len(changed); i++ {
		changed[i] = float32(100 * rng.NormFloat64())
	}
	return changed
}

// Online, a decision never looks ahead: other later points and labels leave the energies before them bit for bit as
// they were. Otherwise the later points do matter.
func TestOnlineNeverLooksAhead(t *testing.T) {
	const n = 12
	for _, online := range []bool{true, false} {
		c := smallConfig(online)
		net, literal := newPair(c, 17)
		rng := rand.New(rand.NewPCG(18, 0))
		x, labels := randomSets(rng, 1, n, c.Dim)
		want := must.M1(net.Tables(x, labels, 1, n))[0]
		for _, from := range []int{2, 5, n - 1} {
			changed := changedTail(rng, x, from, c.Dim)
			got := must.M1(net.Tables(changed, labels, 1, n))[0]
			for row := 1; row < from; row++ {
				if same := slices.Equal(got[row], want[row]); same != online {
					t.Errorf("online=%v: points from %d changed, energies of point %d the same: %v",
						online, from, row, same)
				}
				if !online {
					continue
				}
				if a, b := literal.Energy(changed, labels[:row+1]), literal.Energy(x, labels[:row+1]); a != b {
					t.Errorf("literal form: points from %d changed, energy of point %d %v, was %v", from, row, a, b)
				}
			}
			if slices.Equal(got[from], want[from]) {
				t.Errorf("online=%v: point %d changed and its energies did not", online, from)
			}
		}
	}
}

// Concurrent calls give what calls one after another give.
func TestNetworkIsSafeForConcurrentUse(t *testing.T) {
	const n = 11
	c := smallConfig(false)
	net, _ := newPair(c, 21)
	rng := rand.New(rand.NewPCG(22, 0))
	var wg sync.WaitGroup
	for range 6 {
		x, labels := randomSets(rng, 1, n, c.Dim)
		want := must.M1(net.Tables(x, labels, 1, n))[0]
		wg.Go(func() {
			for range 5 {
				got, err := net.Tables(x, labels, 1, n)
				if err != nil {
					t.Error(err)
					return
				}
				if !slices.EqualFunc(got[0], want, slices.Equal[[]float64]) {
					t.Error("a concurrent call gave other energies")
					return
				}
			}
		})
	}
	wg.Wait()
}
