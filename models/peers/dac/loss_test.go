package dac

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// problem is a batch's inputs with logits and θ, and the labels [B,N] that the inputs tell: −1 where no point is.
type problem struct {
	method        *Method
	b, n, k       int
	x             []float32 // [B,N,2]
	labels        []int32   // [B,N]
	anchors       []int     // [B]
	logits, theta []float32 // [B,N], [B,4]
	in            []*tensors.Tensor
}

func newProblem(seed uint64, variant string, likelihood bool) *problem {
	m := tiny(variant, likelihood)
	m.Removal = 0.7
	rng := newRand(seed)
	in := must.M1(m.Inputs(rng, newBatch(seed, 5, 13, 3), models.FineBuckets))
	p := &problem{method: m, b: 5, n: 16, k: 4, x: tensors.MustCopyFlatData[float32](in[0]), in: in}
	p.labels = tensors.MustCopyFlatData[int32](in[1])
	if variant == peers.Anchored {
		for i, is := range tensors.MustCopyFlatData[float32](in[len(in)-1]) {
			if is == 1 {
				p.anchors = append(p.anchors, i%p.n)
			}
		}
	}
	p.logits, p.theta = normal(p.b*p.n, 3, rng.NormFloat64), normal(p.b*4, 1, rng.NormFloat64)
	return p
}

func normal(n int, scale float64, draw func() float64) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(scale * draw())
	}
	return values
}

// run returns the sets' losses, and the gradient of their sum by logits and θ.
func (p *problem) run(t *testing.T) (losses, byLogits, byTheta []float32) {
	t.Helper()
	in := append([]*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(p.logits, p.b, p.n), tensors.FromFlatDataAndDimensions(p.theta, p.b, 4),
	}, p.in...)
	out := enginetest.Run(t, func(in []*Node) []*Node {
		_, targets, _ := p.method.unpack(in[2:])
		theta := in[1]
		if !p.method.peer.Likelihood {
			theta = nil
		}
		losses := targets.setLosses(in[0], theta)
		return append([]*Node{losses}, Gradient(ReduceAllSum(losses), in[0], in[1])...)
	}, in...)
	return out[0], out[1], out[2]
}

// want is the loss of one set as the package comment writes it, in float64 and plain loops.
func (p *problem) want(set int) float64 {
	best := math.Inf(1)
	for j := range p.k {
		var entropy, density, count, size float64
		for i := set * p.n; i < (set+1)*p.n; i++ {
			if p.labels[i] < 0 {
				continue
			}
			count++
			probability := 1 / (1 + math.Exp(-float64(p.logits[i])))
			if int(p.labels[i]) != j {
				entropy -= math.Log(1 - probability)
				continue
			}
			size++
			entropy -= math.Log(probability)
			density -= p.logDensity(i, set)
		}
		if size == 0 || p.anchors != nil && int(p.labels[set*p.n+p.anchors[set]]) != j {
			continue
		}
		cost := entropy / count
		if p.method.peer.Likelihood {
			cost += density / size
		}
		best = min(best, cost)
	}
	return best
}

func (p *problem) logDensity(i, set int) float64 {
	var sum float64
	for d := range 2 {
		std := math.Log1p(math.Exp(float64(p.theta[set*4+2+d]))) + 1e-3
		z := (float64(p.x[i*2+d]) - float64(p.theta[set*4+d])) / std
		sum -= z*z/2 + math.Log(std) + math.Log(2*math.Pi)/2
	}
	return sum
}

func isNear(got, want, tolerance float64) bool { // false for NaN
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}

// The graph's loss equals plain loops over points and clusters, and its gradient their central differences.
func TestLossEqualsPlainLoops(t *testing.T) {
	for _, variant := range []string{peers.MinFilter, peers.Anchored} {
		for _, likelihood := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/likelihood=%v", variant, likelihood), func(t *testing.T) {
				p := newProblem(3, variant, likelihood)
				losses, byLogits, byTheta := p.run(t)
				for set, got := range losses {
					if want := p.want(set); !isNear(float64(got), want, 1e-5) {
						t.Errorf("set %d: loss %g, want %g", set, got, want)
					}
				}
				p.checkGradient(t, "logit", p.logits, byLogits, p.n)
				p.checkGradient(t, "θ", p.theta, byTheta, 4)
			})
		}
	}
}

// checkGradient compares the gradient by values, of which perSet belong to each set, with central differences of want.
func (p *problem) checkGradient(t *testing.T, name string, values, gradient []float32, perSet int) {
	t.Helper()
	for i, before := range values {
		values[i] = before + 1e-3
		high, up := p.want(i/perSet), float64(values[i])
		values[i] = before - 1e-3
		low, down := p.want(i/perSet), float64(values[i])
		values[i] = before
		if want := (high - low) / (up - down); !isNear(float64(gradient[i]), want, 1e-3) {
			t.Errorf("gradient by %s %d is %g, want %g", name, i, gradient[i], want)
		}
	}
}

// two is a set of four points in two clusters of two, 0 0 1 1.
func two(t *testing.T, logits []float32) (losses, gradient []float32) {
	t.Helper()
	p := &problem{method: tiny(peers.MinFilter, false), b: 1, n: 4, logits: logits, theta: make([]float32, 4)}
	batch := newBatch(1, 1, 4, 2)
	batch.Labels = []int32{0, 0, 1, 1}
	p.in = must.M1(p.method.Inputs(nil, batch, noPadding))
	losses, gradient, _ = p.run(t)
	return losses, gradient
}

// The gradient of the minimum goes to one cluster, also where two cost the same: with all logits 0 both clusters cost
// log 2, and the gradient is (σ(0) − 1[y=0])/4 = ∓1/8, not the mean of both (0) nor their sum.
func TestMinimumHasOneGradient(t *testing.T) {
	losses, gradient := two(t, []float32{0, 0, 0, 0})
	if !isNear(float64(losses[0]), math.Ln2, 1e-6) {
		t.Errorf("loss %g, want log 2", losses[0])
	}
	for i, want := range []float64{-0.125, -0.125, 0.125, 0.125} {
		if !isNear(float64(gradient[i]), want, 1e-6) {
			t.Errorf("gradient %v at a tie", gradient)
		}
	}
	_, gradient = two(t, []float32{0, 0, 0, 0.5})
	if gradient[0] < 0 || gradient[2] > 0 {
		t.Errorf("gradient %v goes to the dearer cluster", gradient)
	}
}

// Logits beyond the range of exp: with the logits ±1000 of the wrong sign at two of four points the loss is 1000·2/4.
func TestLargeLogits(t *testing.T) {
	for _, c := range []struct {
		logits []float32
		want   float32
	}{
		{[]float32{1000, 1000, -1000, -1000}, 0},
		{[]float32{1000, -1000, 1000, -1000}, 500},
	} {
		losses, gradient := two(t, c.logits)
		if losses[0] != c.want {
			t.Errorf("logits %v cost %g, want %g", c.logits, losses[0], c.want)
		}
		for _, g := range gradient {
			if !(math.Abs(float64(g)) <= 0.25) {
				t.Errorf("logits %v have the gradient %v", c.logits, gradient)
			}
		}
	}
}

// Two sets of three points on a line, padded to 8 points and 4 clusters; means and variances by hand.
func TestInputs(t *testing.T) {
	net := models.Default(1)
	c := peers.Default(true)
	c.Variant = peers.Anchored
	batch := &data.Batch{B: 2, N: 3, D: 1, X: []float32{1, 2, 5, 4, 6, 8}, Labels: []int32{0, 1, 0, 0, 0, 0}}
	in := must.M1(New(net, c).Inputs(nil, batch, models.FineBuckets))
	for i, want := range [][]int{{2, 8, 1}, {2, 8}, {4}, {2, 4, 1}, {2, 4, 1}, {2, 8}} {
		if got := in[i].Shape().Dimensions; !slices.Equal(got, want) {
			t.Errorf("input %d has shape %v, want %v", i, got, want)
		}
	}
	labels := []int32{0, 1, 0, -1, -1, -1, -1, -1, 0, 0, 0, -1, -1, -1, -1, -1}
	if got := tensors.MustCopyFlatData[int32](in[1]); !slices.Equal(got, labels) {
		t.Errorf("labels are %v", got)
	}
	anchor := make([]float32, 16)
	anchor[0], anchor[8] = 1, 1
	for i, want := range map[int][]float32{
		0: {1, 2, 5, 0, 0, 0, 0, 0, 4, 6, 8, 0, 0, 0, 0, 0},
		3: {3, 2, 0, 0, 6, 0, 0, 0},                // (1+5)/2, 2; (4+6+8)/3
		4: {4, 0, 0, 0, float32(8.0 / 3), 0, 0, 0}, // (2²+2²)/2, 0; (2²+0+2²)/3
		5: anchor,
	} {
		if got := tensors.MustCopyFlatData[float32](in[i]); !slices.Equal(got, want) {
			t.Errorf("input %d is %v, want %v", i, got, want)
		}
	}
}

// With Removal 1, r of 4 clusters are removed, r = 0..3 with the same probability: of 4·400 sets about 400 each,
// standard deviation √(1600·¼·¾) = 17. Clusters go as a whole, and anchors are points that stay.
func TestRemoval(t *testing.T) {
	m := tiny(peers.Anchored, false)
	m.Removal = 1
	rng, batch := newRand(1), newBatch(1, 4, 12, 4)
	var removed [5]int
	for range 400 {
		in := must.M1(m.Inputs(rng, batch, noPadding))
		labels, anchor := tensors.MustCopyFlatData[int32](in[1]), tensors.MustCopyFlatData[float32](in[3])
		for set := range batch.B {
			isThere := make(map[int32]bool)
			for i := set * batch.N; i < (set+1)*batch.N; i++ {
				j := batch.Labels[i]
				if there, seen := isThere[j]; seen && there != (labels[i] >= 0) {
					t.Fatalf("set %d lost a part of cluster %d", set, j)
				}
				isThere[j] = labels[i] >= 0
				if anchor[i] == 1 && labels[i] < 0 {
					t.Fatalf("the anchor of set %d was removed", set)
				}
			}
			gone := 0
			for _, there := range isThere {
				if !there {
					gone++
				}
			}
			removed[gone]++
		}
	}
	for r, count := range removed[:4] {
		if math.Abs(float64(count)-400) > 4*17 {
			t.Errorf("%d clusters were removed from %d sets of 1600, want 400 ± 68", r, count)
		}
	}
	if removed[4] != 0 {
		t.Errorf("%d sets lost all clusters", removed[4])
	}
}
