package data

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/augment"
)

// isPlain reports whether the first view leaves its image as it is.
func isPlain(views []float32) bool {
	identity := make([]float32, augment.NumParams)
	augment.IdentityParams(identity)
	return slices.Equal(views[:augment.NumParams], identity)
}

// TestInstanceSets: a cluster has one base of its own, which one of its points shows as it is.
func TestInstanceSets(t *testing.T) {
	pool := imagePool(40)
	s := mustPool(pool, func(*Config) {})
	for step := range 10 {
		for _, set := range setsOf(must.M1(s.Draft(3, step))) {
			bases := wantOneEach(t, set, func(i int) int32 { return set.Index[i] })
			plain := make([]int, len(bases))
			for i, l := range set.Labels {
				if isPlain(set.Views[i*augment.NumParams:]) {
					plain[l]++
				}
			}
			if !slices.Equal(plain, slices.Repeat([]int{1}, len(bases))) {
				t.Fatalf("images that are not augmented, by cluster: %v, want one each", plain)
			}
		}
	}
}

// TestAugmentBase: with it, no image is left as it is, and nothing else changes.
func TestAugmentBase(t *testing.T) {
	plain := must.M1(mustPool(imagePool(40), func(*Config) {}).Draft(3, 0))
	all := must.M1(mustPool(imagePool(40), func(c *Config) { c.AugmentBase = true }).Draft(3, 0))
	if !slices.Equal(plain.Index[:plain.N], all.Index[:plain.N]) {
		t.Error("the first set has other bases")
	}
	for view := range slices.Chunk(all.Views, augment.NumParams) {
		if isPlain(view) {
			t.Fatal("an image is not augmented")
		}
	}
	vectors := func(augmentBase bool) []float32 {
		s := mustPool(vectorPool(9), func(c *Config) { c.Vectors.Dropout, c.AugmentBase = 0, augmentBase })
		return must.M1(s.Batch(1, 0)).X
	}
	if slices.Equal(vectors(false), vectors(true)) {
		t.Error("the bases of vectors are not augmented")
	}
}

// TestBasePositionIsUniform: the image that is not augmented may be any of its cluster's, with equal probability.
// Always the first would tell that a cluster opens.
func TestBasePositionIsUniform(t *testing.T) {
	s := mustPool(imagePool(3), func(c *Config) { c.Batch, c.NMin, c.NMax, c.FixedK = 1200, 6, 6, 1 })
	places := make([]float64, 6)
	for _, set := range setsOf(must.M1(s.Draft(4, 0))) {
		for i := range places {
			if isPlain(set.Views[i*augment.NumParams:]) {
				places[i]++
			}
		}
	}
	if chi2 := chiSquare(places); chi2 > chiSquareBound(5) {
		t.Errorf("places %v: chi-square %.1f", places, chi2)
	}
	pairs, rng := make([]float64, 6), Rand(4, "pairs", 0)
	for range 1200 {
		marks := basePoints(rng, []int32{1, 0, 0, 1, 0})
		pairs[2*slices.Index([]bool{marks[1], marks[2], marks[4]}, true)+
			slices.Index([]bool{marks[0], marks[3]}, true)]++
	}
	if chi2 := chiSquare(pairs); chi2 > chiSquareBound(5) {
		t.Errorf("pairs of places %v: chi-square %.1f", pairs, chi2)
	}
}

// TestDistinct: every ordered choice of 2 of 4 is equally likely.
func TestDistinct(t *testing.T) {
	rng, counts := Rand(5, "distinct", 0), map[string]float64{}
	for range 2400 {
		counts[fmt.Sprint(distinct(rng, 4, 2))]++
	}
	var values []float64
	for _, v := range counts {
		values = append(values, v)
	}
	if len(counts) != 12 || chiSquare(values) > chiSquareBound(11) { // 4·3 ordered pairs
		t.Errorf("choices %v: chi-square %.1f", counts, chiSquare(values))
	}
	if all := distinct(rng, 7, 7); len(all) != 7 || slices.Max(all) != 6 || len(distinct(rng, 7, 0)) != 0 {
		t.Errorf("all of 7 are %v", all)
	}
}

// TestDeterminism: (seed, step) fixes every byte, and another stream, seed or step gives another batch.
func TestDeterminism(t *testing.T) {
	sources := map[string]func(stream string) Source{
		"mixtures": func(stream string) Source { return mustMoG(func(c *Config) { c.Stream = stream }) },
	}
	for name, pool := range map[string]*Pool{"images": imagePool(40), "vectors": vectorPool(40, 40)} {
		for _, mode := range []string{ModeInstance, ModeGenerative} {
			sources[name+" "+mode] = func(stream string) Source {
				return mustPool(pool, func(c *Config) { c.Mode, c.Stream = mode, stream })
			}
		}
	}
	for name, with := range sources {
		s := with("train")
		base := must.M1(s.Batch(1, 7))
		must.M1(s.Batch(1, 8)) // earlier calls must leave no trace
		if !reflect.DeepEqual(must.M1(with("train").Batch(1, 7)), base) ||
			!reflect.DeepEqual(must.M1(s.Batch(1, 7)), base) {
			t.Errorf("%s: the same seed and step give different batches", name)
		}
		for other, b := range map[string]*Batch{
			"step": must.M1(s.Batch(1, 8)), "seed": must.M1(s.Batch(2, 7)),
			"stream": must.M1(with("valid").Batch(1, 7)),
		} {
			if base.Index == nil && slices.Equal(b.X[:8], base.X[:8]) ||
				base.Index != nil && slices.Equal(b.Index[:12], base.Index[:12]) {
				t.Errorf("%s: another %s gives the same points", name, other)
			}
		}
		if s, is := s.(*PoolSource); is {
			checkDraft(t, name, s, base)
		}
	}
}

// checkDraft: a draft is the batch (1, 7) without points, and the pool stays as it is.
func checkDraft(t *testing.T, name string, s *PoolSource, base *Batch) {
	t.Helper()
	before := slices.Clone(s.pool.X)
	draft := must.M1(s.Draft(1, 7))
	if draft.X != nil {
		t.Errorf("%s: a draft has points", name)
	}
	if draft.X = base.X; !reflect.DeepEqual(draft, base) || !reflect.DeepEqual(must.M1(s.Batch(1, 7)), base) {
		t.Errorf("%s: the draft is another batch", name)
	}
	if !slices.Equal(s.pool.X, before) {
		t.Errorf("%s: the pool was changed", name)
	}
	if augmented := s.pool.IsImages() && s.Augments(); (base.Views != nil) != augmented {
		t.Errorf("%s: %d views", name, len(base.Views))
	}
}
