package data

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// mustMoG returns the source of the default settings after edit.
func mustMoG(edit func(*Config)) *MoG {
	c := DefaultMoG()
	c.Batch, c.NMin, c.NMax = 4, 50, 60
	edit(&c)
	return must.M1(NewMoG(c))
}

// TestMoGBatchInvariants checks what every set of every configuration must satisfy.
func TestMoGBatchInvariants(t *testing.T) {
	edits := map[string]func(*Config){
		"free":         func(*Config) {},
		"few clusters": func(c *Config) { c.AlphaMin, c.AlphaMax, c.MinK, c.MaxK = 0.2, 1, 2, 3 },
		"fixed K":      func(c *Config) { c.FixedK = 6 },
		"instance":     func(c *Config) { c.Mode, c.Dim = ModeInstance, 3 },
	}
	for name, edit := range edits {
		m := mustMoG(edit)
		sizes := map[int]bool{}
		for step := range 30 {
			b := must.M1(m.Batch(5, step))
			sizes[b.N] = true
			if b.B != 4 || b.N < 50 || b.N > 60 || b.D != m.Dim() || len(b.X) != b.B*b.N*b.D ||
				len(b.Labels) != b.B*b.N {
				t.Fatalf("%s: shapes B=%d N=%d D=%d, %d values, %d labels",
					name, b.B, b.N, b.D, len(b.X), len(b.Labels))
			}
			for i := range b.B {
				checkSet(t, name, m.config, b, i)
			}
		}
		if len(sizes) < 8 { // of 11 values of N, 30 draws miss more than 3 with probability < 1e-3
			t.Errorf("%s: only %d values of N in 30 batches", name, len(sizes))
		}
	}
}

func checkSet(t *testing.T, name string, c Config, b *Batch, i int) {
	t.Helper()
	set := b.Slice(i, i+1)
	k := wantCanonical(t, set)
	if c.FixedK > 0 && k != c.FixedK || k < c.MinK || c.MaxK > 0 && k > c.MaxK {
		t.Errorf("%s: %d clusters", name, k)
	}
	for j, median := range MedianCenter(slices.Clone(set.X), b.N, b.D) {
		if math.Abs(float64(median)) > 1e-5 { // float32 at |x| ≈ 40 has steps of 4e-6
			t.Errorf("%s: the median of coordinate %d is %g", name, j, median)
		}
	}
}

// TestMoGMoments checks the spread within clusters (σ_x) and between them (σ_μ). Differences are used throughout,
// because the median is subtracted: Var(x_i − x_j) is 2σ_x² in one cluster and 2(σ_μ² + σ_x²) across two.
func TestMoGMoments(t *testing.T) {
	// With n terms the mean square has a relative standard error of about √(2/n): 1.4 % within clusters
	// (10,000 pairs), 3.2 % across (2,000). The bounds are four of them.
	m := mustMoG(func(c *Config) { c.SigmaMu, c.SigmaX, c.Batch, c.FixedK = 5, 0.5, 1000, 2 })
	b := must.M1(m.Batch(6, 0))
	var within, across, nWithin, nAcross float64
	for i := range b.B {
		x, labels := b.Set(i)
		first := [2]int{0, slices.Index(labels, 1)}
		for j := range b.D {
			d := float64(x[first[1]*b.D+j] - x[first[0]*b.D+j])
			across, nAcross = across+d*d, nAcross+1
		}
		used := map[int32]int{} // disjoint pairs, at most five a set, so that the terms are independent
		pairs := 0
		for p, l := range labels {
			if q, open := used[l]; !open {
				used[l] = p
			} else if pairs < 5 {
				for j := range b.D {
					d := float64(x[p*b.D+j] - x[q*b.D+j])
					within, nWithin = within+d*d, nWithin+1
				}
				pairs++
				delete(used, l)
			}
		}
	}
	if got, want := within/nWithin, 2*0.25; nWithin < 9000 || math.Abs(got/want-1) > 0.057 {
		t.Errorf("within clusters: mean square %.4f over %g, want %.4f", got, nWithin, want)
	}
	if got, want := across/nAcross, 2*(25+0.25); nAcross != 2000 || math.Abs(got/want-1) > 0.127 {
		t.Errorf("across clusters: mean square %.3f over %g, want %.3f", got, nAcross, want)
	}
}

// TestMoGInstance checks augmentation and shuffling at once. A set is one cluster of three: a base point b, b+e, b+e',
// with D = 1. Squared distances are 1, 1 (base to the others) and 2 on average, hence from a random point to another
// (1+1+2)/3 = 4/3. Unshuffled, point 0 would be the base, at mean 1; in generative mode every mean is 2.
func TestMoGInstance(t *testing.T) {
	const sets = 20_000
	m := mustMoG(func(c *Config) {
		c.Dim, c.Batch, c.NMin, c.NMax, c.FixedK, c.Mode = 1, sets, 3, 3, 1, ModeInstance
	})
	b := must.M1(m.Batch(7, 0))
	var sum [3]float64
	for i := range b.B {
		x, _ := b.Set(i)
		for p := range sum {
			d := float64(x[p] - x[(p+1)%3])
			sum[p] += d * d
		}
	}
	// A squared distance is a χ²(1) variable times 1 or 2: its mean square is 3·(1+1+4)/3 = 6, its variance 6 − 16/9.
	se := math.Sqrt((6 - 16./9) / sets)
	for p := range sum {
		if got := sum[p] / sets; math.Abs(got-4./3) > 5*se {
			t.Errorf("point %d to the next: mean square distance %.3f, want %.3f ± %.3f", p, got, 4./3, 5*se)
		}
	}
}

// TestMoGLogUniformAlpha checks that half of the sets have α below the geometric mean of its bounds: with N = 2,
// P(K=2) = α/(1+α), whose mean over log-uniform α in [1/9, 9] is 1/2 by symmetry.
func TestMoGLogUniformAlpha(t *testing.T) {
	const sets = 10_000
	m := mustMoG(func(c *Config) {
		c.Batch, c.NMin, c.NMax, c.MinK, c.AlphaMin, c.AlphaMax = sets, 2, 2, 1, 1./9, 9
	})
	b := must.M1(m.Batch(8, 0))
	split := 0.0
	for i := range b.B {
		_, labels := b.Set(i)
		split += float64(labels[1])
	}
	if se := 0.5 / math.Sqrt(sets); math.Abs(split/sets-0.5) > 5*se {
		t.Errorf("%.3f of the sets have two clusters, want 0.5 ± %.3f", split/sets, 5*se)
	}
}

// TestLogUniformPoints checks the median of N: √(50·401) = 141.6, with a standard error of 3.3.
func TestLogUniformPoints(t *testing.T) {
	m := mustMoG(func(c *Config) { c.Batch, c.Dim, c.NMin, c.NMax, c.LogN = 1, 1, 50, 400, true })
	sizes := make([]int, 2000)
	for step := range sizes {
		sizes[step] = must.M1(m.Batch(8, step)).N
	}
	slices.Sort(sizes)
	if middle := sizes[1000]; sizes[0] < 50 || sizes[1999] > 400 || middle < 128 || middle > 155 {
		t.Errorf("%d to %d points, in the middle %d", sizes[0], sizes[1999], middle)
	}
}

func TestOracle(t *testing.T) {
	// Two centers at 0 and 4 with σ = 1 and sizes 3 and 1: the boundary lies where log 3 − x²/2 = −(x−4)²/2,
	// i.e. at x = 2 + log(3)/4 = 2.2747.
	set := &Batch{N: 4, D: 1, X: []float32{0, 2.27, 2.28, 4}, Labels: []int32{0, 0, 0, 1}}
	s := mogSet{Batch: set, centers: []float64{0, 4}}
	if got := s.oracle(1); !slices.Equal(got, []int32{0, 0, 1, 1}) {
		t.Errorf("oracle labels %v, want [0 0 1 1]", got)
	}
}

// TestBatchWithOracle: the batch is the one of Batch, and the oracle is perfect when clusters cannot be confused.
func TestBatchWithOracle(t *testing.T) {
	for _, mode := range []string{ModeGenerative, ModeInstance} {
		m := mustMoG(func(c *Config) { c.SigmaMu, c.Mode = 1e5, mode })
		b, oracle := must.M2(m.BatchWithOracle(9, 1))
		if !reflect.DeepEqual(b, must.M1(m.Batch(9, 1))) {
			t.Errorf("%s: BatchWithOracle gives another batch than Batch", mode)
		}
		if !slices.Equal(oracle, b.Labels) {
			t.Errorf("%s: the oracle errs on separated clusters", mode)
		}
	}
}
