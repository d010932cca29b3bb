package st

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// Inputs leaves the batch alone and pads with invalid points.
func TestInputs(t *testing.T) {
	batch := data.NewBatch(2, 3, 2)
	copy(batch.X, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	before := slices.Clone(batch.X)
	m := New(models.Default(2), peers.Config{Clusters: 2})
	in := must.M1(m.Inputs(nil, batch, models.Buckets{Points: func(int) int { return 4 }}))
	if len(in) != 2 {
		t.Fatalf("%d inputs, want 2", len(in))
	}
	want := slices.Concat(before[:6], []float32{0, 0}, before[6:], []float32{0, 0})
	if x := must.M1(engine.Float32s(in[0])); !slices.Equal(x, want) || !slices.Equal(batch.X, before) {
		t.Errorf("points %v, want %v", x, want)
	}
	valid := must.M1(tensors.CopyFlatData[bool](in[1]))
	if want := []bool{true, true, true, false, true, true, true, false}; !slices.Equal(valid, want) {
		t.Errorf("mask %v, want %v", valid, want)
	}
}

// Sets of images cannot have more clusters than components.
func TestTooManyClusters(t *testing.T) {
	batch := data.NewBatch(1, 4, models.ImageSide*models.ImageSide)
	copy(batch.Labels, []int32{0, 1, 2, 0})
	m := New(models.DefaultImages(), peers.Config{Clusters: 2})
	if _, err := m.Inputs(nil, batch, models.FineBuckets); !usererr.Is(err) {
		t.Errorf("a set of three clusters for two components: %v", err)
	}
}

// refLogDensity is log π_k + log N(x; μ_k, diag σ_k²) as textbooks write it, from parameters [K][1+2F].
func refLogDensity(x []float32, parameters [][]float32, k int) float64 {
	var total float64
	for _, p := range parameters {
		total += math.Exp(float64(p[0]))
	}
	p, f := parameters[k], len(x)
	log := float64(p[0]) - math.Log(total)
	for i := range x {
		std := math.Log1p(math.Exp(float64(p[1+f+i]))) + 1e-3
		z := (float64(x[i]) - float64(p[1+i])) / std
		log += -z*z/2 - math.Log(std) - math.Log(2*math.Pi)/2
	}
	return log
}

// The densities of components of every width, also far from the origin: at 1000 with standard deviations down to
// 0.0011, where the expansion x²/σ² − 2xμ/σ² + μ²/σ² is all rounding error.
func TestLogDensities(t *testing.T) {
	const b, n, k, f = 2, 5, 3, 2
	rng := rand.New(rand.NewPCG(1, 0))
	parameters := make([][][]float32, b)
	var x, flat []float32
	for set := range b {
		for c := range k {
			p := []float32{float32(rng.NormFloat64())}
			for range f {
				p = append(p, 1000+float32(rng.NormFloat64()))
			}
			for i := range f {
				p = append(p, []float32{-9, 0, 30}[(c+i)%3]) // softplus: 0.00012, 0.69, 30
			}
			parameters[set] = append(parameters[set], p)
			flat = append(flat, p...)
		}
		for range n * f {
			x = append(x, 1000+float32(rng.NormFloat64()))
		}
	}
	got := enginetest.Run(t, func(in []*Node) []*Node { return []*Node{logDensities(in[0], in[1])} },
		tensors.FromFlatDataAndDimensions(x, b, n, f), tensors.FromFlatDataAndDimensions(flat, b, k, 1+2*f))[0]
	for i, g := range got {
		set, point, c := i/(n*k), i/k, i%k
		want := refLogDensity(x[point*f:(point+1)*f], parameters[set], c)
		if !(math.Abs(float64(g)-want) <= 1e-5*(1+math.Abs(want))) {
			t.Errorf("set %d, point %d, component %d: %g, want %g", set, point, c, g, want)
		}
	}
}

// SoftPlus and its gradient 1/(1+exp(−x)), at 0 and where exp overflows.
func TestSoftplus(t *testing.T) {
	x := []float32{-200, -3, 0, 3, 200}
	got := enginetest.Run(t, func(in []*Node) []*Node {
		y := peers.SoftPlus(in[0])
		return []*Node{y, Gradient(ReduceAllSum(y), in[0])[0]}
	}, tensors.FromFlatDataAndDimensions(x, len(x)))
	for i, v := range x {
		value, slope := math.Max(0, float64(v))+math.Log1p(math.Exp(-math.Abs(float64(v)))), 1/(1+math.Exp(-float64(v)))
		if math.Abs(float64(got[0][i])-value) > 1e-6*(1+value) || math.Abs(float64(got[1][i])-slope) > 1e-6 {
			t.Errorf("softplus(%g) = %g with slope %g, want %g with %g", v, got[0][i], got[1][i], value, slope)
		}
	}
}

// bestMatch is the least mean of −log r over all one-to-one pairings of labels and components, by trying them all.
func bestMatch(joint []float32, labels []int32, k int) float64 {
	best := math.Inf(1)
	for _, component := range combin.Permutations(k, k) {
		var sum float64
		for n, label := range labels {
			row := joint[n*k : (n+1)*k]
			var total float64
			for _, v := range row {
				total += math.Exp(float64(v))
			}
			sum -= float64(row[component[label]]) - math.Log(total)
		}
		best = math.Min(best, sum/float64(len(labels)))
	}
	return best
}

// Where every cluster has a component of its own, the matched loss is the least of all pairings; padded points do not
// count, and clusters that a set lacks take what is left.
func TestMatchedCrossEntropy(t *testing.T) {
	const n, k = 12, 4
	rng := rand.New(rand.NewPCG(2, 0))
	owner := [][]int{{2, 0, 3, 1}, {1, 3, 2, 0}} // component of each cluster
	counts := []int{n, n - 4}
	var joint []float32
	var labels []int32
	var valid []bool
	var want float64
	for set := range owner {
		for i := range n {
			label := int32(i % k)
			if set == 1 {
				label %= 3 // this set has three clusters
			}
			for c := range k {
				v := float32(rng.NormFloat64())
				if c == owner[set][label] {
					v += 3
				}
				joint = append(joint, v)
			}
			valid = append(valid, i < counts[set])
			labels = append(labels, label)
			if i >= counts[set] {
				labels[len(labels)-1] = -1
			}
		}
		from := set * n
		want += bestMatch(joint[from*k:], labels[from:from+counts[set]], k) / 2
	}
	got := enginetest.Run(t, func(in []*Node) []*Node {
		return []*Node{matchedCrossEntropy(in[0], in[1], in[2], Const(in[0].Graph(), float32(0.5)))}
	}, tensors.FromFlatDataAndDimensions(joint, 2, n, k), tensors.FromFlatDataAndDimensions(labels, 2, n),
		tensors.FromFlatDataAndDimensions(valid, 2, n))[0][0]
	if math.Abs(float64(got)-want) > 1e-5 {
		t.Errorf("loss %g, want %g", got, want)
	}
}

// A matching is one to one whatever the agreement, ties included.
func TestMatchingIsOneToOne(t *testing.T) {
	const k = 5
	rng := rand.New(rand.NewPCG(3, 0))
	agreement := make([]float32, 3*k*k) // the first set: all equal
	for i := k * k; i < len(agreement); i++ {
		agreement[i] = -float32(rng.ExpFloat64()) * 1e4
	}
	pairs := enginetest.Run(t, func(in []*Node) []*Node { return []*Node{matching(in[0])} },
		tensors.FromFlatDataAndDimensions(agreement, 3, k, k))[0]
	for set := range 3 {
		for i := range k {
			var row, column float32
			for j := range k {
				row += pairs[set*k*k+i*k+j]
				column += pairs[set*k*k+j*k+i]
			}
			if row != 1 || column != 1 {
				t.Errorf("set %d: cluster %d has %g components, component %d has %g clusters", set, i, row, i, column)
			}
		}
	}
	for i := k * k; i < len(agreement); i += k * k { // the most decided pair is made first
		best, at := float32(0), 0
		for j := range k {
			var mean float32
			for c := range k {
				mean += agreement[i+j*k+c] / k
			}
			for c := range k {
				if gain := agreement[i+j*k+c] - mean; gain > best {
					best, at = gain, i+j*k+c
				}
			}
		}
		if pairs[at] != 1 {
			t.Errorf("the pair of highest gain, %d, is not matched", at-i)
		}
	}
}
