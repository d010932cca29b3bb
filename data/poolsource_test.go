package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// vectorPool has one class for each size, its points numbered: point i is (i, −i²). The classes' points alternate.
func vectorPool(sizes ...int) *Pool {
	p := &Pool{Name: "vectors", D: 2}
	for k := range sizes {
		p.Classes = append(p.Classes, fmt.Sprintf("class %d", k))
	}
	for turn := range slices.Max(sizes) {
		for k, size := range sizes {
			if turn < size {
				i := float32(len(p.Labels))
				p.X, p.Labels = append(p.X, i, -i*i), append(p.Labels, int32(k))
			}
		}
	}
	return p
}

// imagePool has m images of noise in two classes.
func imagePool(m int) *Pool {
	p := &Pool{Name: "images", D: 784, Height: 28, Width: 28, Classes: []string{"even", "odd"}}
	rng := Rand(1, "pixels", m)
	for i := range m {
		p.Labels = append(p.Labels, int32(i%2))
		for range p.D {
			p.X = append(p.X, rng.Float32())
		}
	}
	return p
}

// mustPool returns a source on a pool with the default settings after edit: four sets of 12 to 20 points.
func mustPool(pool *Pool, edit func(*Config)) *PoolSource {
	return must.M1(NewPoolSource(smallConfig(pool, edit), pool))
}

func smallConfig(pool *Pool, edit func(*Config)) Config {
	c := DefaultVectors("vectors", pool.D)
	if pool.IsImages() {
		c = imageFile("images")
	}
	c.Batch, c.NMin, c.NMax = 4, 12, 20
	edit(&c)
	return c
}

func generative(c *Config) { c.Mode = ModeGenerative }

// setsOf cuts a batch into its sets.
func setsOf(b *Batch) (sets []*Batch) {
	for i := range b.B {
		sets = append(sets, b.Slice(i, i+1))
	}
	return sets
}

// wantCanonical checks the labels of a set and returns the number of clusters.
func wantCanonical(t *testing.T, set *Batch) int {
	t.Helper()
	again := slices.Clone(set.Labels)
	k := partition.Renumber(again)
	if !slices.Equal(again, set.Labels) {
		t.Errorf("labels are not canonical: %v", set.Labels)
	}
	return k
}

// wantOneEach checks that all points of a cluster share what of says of them, and that no two clusters do. It returns
// this by cluster.
func wantOneEach(t *testing.T, set *Batch, of func(i int) int32) []int32 {
	t.Helper()
	each := make([]int32, wantCanonical(t, set))
	for i, l := range set.Labels {
		if first := slices.Index(set.Labels, l); of(i) != of(first) {
			t.Fatalf("cluster %d has points of %d and %d", l, of(first), of(i))
		}
		each[l] = of(i)
	}
	if n := different(each); n != len(each) {
		t.Fatalf("%d clusters are of %d", len(each), n)
	}
	return each
}

// different is the number of different values.
func different(values []int32) int { return len(slices.Compact(slices.Sorted(slices.Values(values)))) }

// chiSquare compares counts with equal expectations.
func chiSquare(counts []float64) float64 {
	return stat.ChiSquare(counts, slices.Repeat([]float64{stat.Mean(counts, nil)}, len(counts)))
}

// TestGenerativeSets: clusters are distinct classes, their points are distinct, and every class is as likely as any
// other, also as the class of the first point.
func TestGenerativeSets(t *testing.T) {
	pool := vectorPool(20, 30, 25, 0, 22) // a class without points takes no part
	s := mustPool(pool, func(c *Config) { c.Mode, c.Batch = ModeGenerative, 500 })
	first, seen := make([]float64, 5), make([]float64, 5)
	var mean, variance float64 // of a class's number of sets: a set of K clusters has it with probability K/4
	for step := range 4 {
		for _, set := range setsOf(must.M1(s.Draft(1, step))) {
			classes := wantOneEach(t, set, func(i int) int32 { return pool.Labels[set.Index[i]] })
			k := len(classes)
			if k < 2 || k > 4 {
				t.Fatalf("%d clusters of 4 classes", k)
			}
			if points := different(set.Index); points != set.N {
				t.Fatalf("%d points are %d different ones", set.N, points)
			}
			for _, class := range classes {
				seen[class]++
			}
			first[classes[0]]++
			p := float64(k) / 4
			mean, variance = mean+p, variance+p*(1-p)
		}
	}
	first, seen = slices.Delete(first, 3, 4), slices.Delete(seen, 3, 4)
	if chi2 := chiSquare(first); chi2 > chiSquareBound(3) {
		t.Errorf("classes of the first points %v: chi-square %.1f", first, chi2)
	}
	for class, count := range seen {
		if math.Abs(count-mean) > 5*math.Sqrt(variance) {
			t.Errorf("class %d is in %g sets, want %.0f ± %.0f", class, count, mean, 5*math.Sqrt(variance))
		}
	}
}

// TestGenerativeLimitsK: partitions into more clusters than there are classes are drawn again, others are not.
func TestGenerativeLimitsK(t *testing.T) {
	// α = 3 opens Σ_{i<8} 3/(3+i) = 4.3 clusters on average: the limit bites.
	s := mustPool(vectorPool(9, 9, 9), func(c *Config) {
		c.Mode, c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax = ModeGenerative, 200, 8, 8, 3, 3
	})
	counts := map[int]int{}
	for _, set := range setsOf(must.M1(s.Draft(2, 0))) {
		counts[wantCanonical(t, set)]++
	}
	if counts[2]+counts[3] != 200 || counts[2] == 0 || counts[3] == 0 {
		t.Errorf("sets by number of clusters: %v, want 2 and 3 only", counts)
	}
}

func TestPoolSourceFaults(t *testing.T) {
	unlabelled := vectorPool(50)
	unlabelled.Labels, unlabelled.Classes = nil, nil
	damaged := vectorPool(50)
	damaged.X = damaged.X[1:]
	for _, test := range []struct {
		want string
		pool *Pool
		edit func(*Config)
	}{
		{"data.batch is 0", vectorPool(50), func(c *Config) { c.Batch = 0 }},
		{
			"vectors: its points have 2 coordinates, but data.dim = 3; set data.dim and net.dim to 2", vectorPool(50),
			func(c *Config) { c.Dim = 3 },
		},
		{"vectors: its points have no known classes; set data.mode to \"instance\"", unlabelled, generative},
		{"vectors: has 1 classes, too few for 2 clusters", vectorPool(50), generative},
		{"vectors: has 1 classes, too few for 2 clusters", vectorPool(50, 0), generative},
		{
			"vectors: has 2 classes, too few for 3 clusters", vectorPool(50, 50),
			func(c *Config) { c.Mode, c.FixedK = ModeGenerative, 3 },
		},
		{"vectors: has 4 points, too few for 5 clusters", vectorPool(4), func(c *Config) { c.FixedK = 5 }},
		{"data.dim is 2; set data.dim to 784", vectorPool(50), func(c *Config) { *c = imageFile("x"); c.Dim = 2 }},
		{
			"vectors: holds vectors, but the settings are those of images",
			&Pool{Name: "vectors", D: 784, X: make([]float32, 784*9)}, func(c *Config) { *c = imageFile("x") },
		},
		{
			"images: holds images, but the settings are those of vectors", imagePool(9),
			func(c *Config) { *c = DefaultVectors("x", 784) },
		},
		// P(2 ≤ K ≤ 2) for N = 300, α = 6: 6²·|s(300,2)| / (6·7·…·305) = 3.5e-11, in exact integers (Python 3).
		{
			"vectors: has 2 classes, but only 3.5e-11 of the partitions of 300 points at alpha 6", vectorPool(400, 400),
			func(c *Config) { c.Mode, c.NMin, c.NMax, c.AlphaMax = ModeGenerative, 12, 300, 6 },
		},
	} {
		s, err := NewPoolSource(smallConfig(test.pool, test.edit), test.pool)
		if s != nil || !usererr.Is(err) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	mustPool(vectorPool(50), func(c *Config) { c.Mode, c.FixedK = ModeGenerative, 1 }) // MinK is not read
	if _, err := NewPoolSource(smallConfig(damaged, generative), damaged); err == nil {
		t.Error("a damaged pool was taken")
	}
	small := mustPool(vectorPool(50, 2), func(c *Config) { c.Mode, c.NMin, c.FixedK = ModeGenerative, 20, 2 })
	_, err := small.Batch(1, 0)
	if !usererr.Is(err) || !strings.Contains(err.Error(), `class "class 1" has 2 points, too few for a cluster of`) {
		t.Errorf("a class of 2 points gave %v", err)
	}
}
