package data

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/usererr"
)

// PoolSource draws sets from a pool of images or vectors (paper, Sec. "data generation"): c ~ CRP(α) or CRP
// conditioned on K, and then
//
//   - in mode "generative" the clusters are K distinct classes, their points drawn without replacement: testing;
//   - in mode "instance" a cluster is one random point of the pool and its augmentations: training without labels.
//
// Points are shuffled, labels renumbered by first appearance. Images come out in −1..1; vectors have their set's median
// subtracted and are multiplied by the config's Factor.
type PoolSource struct {
	drawing
	pool  *Pool
	near  []int32   // [M,Neighbors], nil if Neighbors is 0
	links [][]int32 // where a Walk may go, nil if Walk is 0
	class [][]int32 // the points of each class that has points, only in mode "generative"
}

// NewPoolSource returns the source that c describes on a pool, or the faults that c.Validate finds. Mode "generative"
// needs known classes, and allows no more clusters than there are classes with points.
func NewPoolSource(c Config, pool *Pool) (*PoolSource, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := pool.Check(); err != nil {
		return nil, err
	}
	if err := c.checkPool(pool); err != nil {
		return nil, err
	}
	s := &PoolSource{drawing: drawing{c, c.prior()}, pool: pool}
	most, what := pool.Len(), "points"
	if c.Mode == ModeGenerative {
		s.class = classMembers(pool)
		most, what = len(s.class), "classes"
	}
	if err := s.limitClusters(most, what); err != nil {
		return nil, err
	}
	if c.Mode == ModeInstance && c.Neighbors > 0 {
		var err error
		if s.near, err = neighbors(pool, c.Neighbors); err != nil {
			return nil, err
		}
		if c.Walk > 0 {
			s.links = mutualNeighbors(s.near, c.Neighbors)
		}
	}
	return s, nil
}

// checkPool returns an error for a pool of another kind than c asks for.
func (c Config) checkPool(pool *Pool) error {
	switch {
	case pool.D != c.Dim:
		return usererr.File(pool.Name, 0, fmt.Sprintf("set data.dim and net.dim to %d", pool.D),
			"its points have %d coordinates, but data.dim = %d", pool.D, c.Dim)
	case pool.IsImages() && !c.IsImages():
		return usererr.File(pool.Name, 0, "give a section data.images, or save the pixels as vectors",
			"holds images, but the settings are those of vectors")
	case !pool.IsImages() && c.IsImages():
		return usererr.File(pool.Name, 0, "leave out the section data.images and set data.factor",
			"holds vectors, but the settings are those of images")
	case c.Mode == ModeInstance && c.Neighbors >= pool.Len():
		return usererr.File(pool.Name, 0, "set data.neighbors lower",
			"holds %d points, too few for %d neighbours of each", pool.Len(), c.Neighbors)
	case c.Mode == ModeGenerative && pool.Labels == nil:
		return usererr.File(pool.Name, 0, `set data.mode to "instance", which needs no labels`,
			"its points have no known classes")
	}
	return nil
}

func classMembers(pool *Pool) [][]int32 {
	members := make([][]int32, len(pool.Classes))
	for i, label := range pool.Labels {
		members[label] = append(members[label], int32(i))
	}
	return slices.DeleteFunc(members, func(m []int32) bool { return len(m) == 0 })
}

// LeastOfClass returns the number of points of the smallest class that has any; 0 without labels. Sets of at most this
// number of points can always be drawn from the classes.
func (p *Pool) LeastOfClass() int {
	least := 0
	for _, members := range classMembers(p) {
		if least == 0 || len(members) < least {
			least = len(members)
		}
	}
	return least
}

// limitClusters limits the number of clusters to the points or classes of the pool. It is an error if too few
// partitions are within the limit.
func (s *PoolSource) limitClusters(most int, what string) error {
	c := s.config
	if least := cmp.Or(c.FixedK, c.MinK); least > most {
		return usererr.File(s.pool.Name, 0, "set data.fixed_k or data.min_k lower, or give more data",
			"has %d %s, too few for %d clusters", most, what, least)
	}
	if c.FixedK > 0 || c.MaxK > 0 && c.MaxK <= most {
		return nil
	}
	s.prior.maxK = most
	if prob, n, alpha := s.prior.acceptance(c.NMin, c.NMax); prob < minAcceptance {
		return usererr.File(s.pool.Name, 0, "set data.n_max or data.alpha_max lower, or set data.fixed_k",
			"has %d %s, but only %.2g of the partitions of %d points at alpha %g have no more clusters, below %g",
			most, what, prob, n, alpha, minAcceptance)
	}
	return nil
}

// Pool returns the pool that sets are drawn from.
func (s *PoolSource) Pool() *Pool { return s.pool }

// Augments reports whether points are augmented: mode "instance".
func (s *PoolSource) Augments() bool { return s.config.Mode == ModeInstance }

// Batch returns the batch of (seed, step): X [B,N,D] in the network's units, canonical Labels [B,N], Index and, for
// augmented images, Views.
func (s *PoolSource) Batch(seed uint64, step int) (*Batch, error) {
	batch, err := s.Draft(seed, step)
	if err != nil {
		return nil, err
	}
	batch.X = make([]float32, len(batch.Index)*batch.D)
	if s.pool.IsImages() {
		inParts(len(batch.Index), func(from, to int) { s.renderImages(batch, from, to) })
	} else {
		s.renderVectors(batch, Rand(seed, s.config.Stream+"/noise", step))
	}
	return batch, nil
}

// Draft returns the same batch without X, for points that are embedded by Index.
func (s *PoolSource) Draft(seed uint64, step int) (*Batch, error) {
	c := s.config
	undrawn := func(n int) *Batch {
		batch := &Batch{B: c.Batch, N: n, D: c.Dim, Labels: make([]int32, c.Batch*n), Index: make([]int32, c.Batch*n)}
		if s.Augments() && s.pool.IsImages() {
			batch.Views = make([]float32, c.Batch*n*augment.NumParams)
		}
		return batch
	}
	return s.draw(seed, step, undrawn, func(rng *rand.Rand, set *Batch) error {
		s.shuffle(rng, set.N, func(i, j int) { set.Labels[i], set.Labels[j] = set.Labels[j], set.Labels[i] })
		if s.Augments() {
			s.drawInstances(rng, set)
			return nil
		}
		return s.drawClasses(rng, set)
	})
}

// drawInstances gives each cluster of a set a base point; see ModeInstance.
func (s *PoolSource) drawInstances(rng *rand.Rand, set *Batch) {
	base := distinct(rng, s.pool.Len(), len(clusterSizes(set.Labels)))
	bases := basePoints(rng, set.Labels)
	for i, k := range set.Labels {
		set.Index[i] = int32(base[k])
		if s.near != nil && !bases[i] {
			set.Index[i] = s.drawNeighbour(rng, set.Index[i])
		}
	}
	if set.Views == nil {
		return
	}
	for i, isBase := range bases {
		view := set.Views[i*augment.NumParams : (i+1)*augment.NumParams]
		if isBase && !s.config.AugmentBase {
			augment.IdentityParams(view)
		} else {
			s.config.Images.Draw(rng, view)
		}
	}
}

// drawNeighbour draws a point that counts as the same cluster as a base.
func (s *PoolSource) drawNeighbour(rng *rand.Rand, base int32) int32 {
	if s.links != nil {
		return walk(rng, s.links, base, s.config.Walk)
	}
	k := s.config.Neighbors
	if j := rng.IntN(k + 1); j < k {
		return s.near[int(base)*k+j]
	}
	return base
}

// basePoints marks one random point of each cluster. If it were always the first point, an unaugmented image would
// reveal that a cluster opens.
func basePoints(rng *rand.Rand, labels []int32) []bool {
	marks, seen := make([]bool, len(labels)), make([]bool, len(clusterSizes(labels)))
	for _, i := range rng.Perm(len(labels)) {
		marks[i] = !seen[labels[i]]
		seen[labels[i]] = true
	}
	return marks
}

// drawClasses gives each cluster of a set a class and draws its points from it.
func (s *PoolSource) drawClasses(rng *rand.Rand, set *Batch) error {
	counts := clusterSizes(set.Labels)
	classes := distinct(rng, len(s.class), len(counts))
	members := make([][]int, len(counts))
	for k, count := range counts {
		all := s.class[classes[k]]
		if count > len(all) {
			return usererr.File(s.pool.Name, 0,
				fmt.Sprintf("set data.n_max to %d, or data.mode to \"instance\"", s.pool.LeastOfClass()),
				"class %q has %d points, too few for a cluster of %d",
				s.pool.Classes[s.pool.Labels[all[0]]], len(all), count)
		}
		for _, j := range distinct(rng, len(all), count) {
			members[k] = append(members[k], int(all[j]))
		}
	}
	for i, k := range set.Labels {
		set.Index[i] = int32(members[k][0])
		members[k] = members[k][1:]
	}
	return nil
}

// distinct draws count different numbers below n, in random order (Floyd, then a shuffle), in O(count).
func distinct(rng *rand.Rand, n, count int) []int {
	taken := make(map[int]bool, count)
	drawn := make([]int, 0, count)
	for i := n - count; i < n; i++ {
		j := rng.IntN(i + 1)
		if taken[j] {
			j = i
		}
		taken[j] = true
		drawn = append(drawn, j)
	}
	rng.Shuffle(count, func(a, b int) { drawn[a], drawn[b] = drawn[b], drawn[a] })
	return drawn
}

// NetworkUnits maps pixels x in 0..1 to the −1..1 that networks read, in place.
func NetworkUnits(x []float32) {
	for i, v := range x {
		x[i] = 2*v - 1
	}
}

// renderImages fills X of the points from..to−1 from Index and Views.
func (s *PoolSource) renderImages(batch *Batch, from, to int) {
	renderer := augment.Renderer{Images: s.config.Images}
	for i := from; i < to; i++ {
		dst, src := batch.X[i*batch.D:(i+1)*batch.D], s.pool.Point(int(batch.Index[i]))
		if batch.Views == nil {
			copy(dst, src)
			NetworkUnits(dst)
			continue
		}
		view := batch.Views[i*augment.NumParams : (i+1)*augment.NumParams]
		renderer.Render(dst, src, s.pool.Height, s.pool.Width, view)
	}
}

// renderVectors fills X from Index: centred by set, scaled, and in mode "instance" augmented.
func (s *PoolSource) renderVectors(batch *Batch, rng *rand.Rand) {
	for b := range batch.B {
		set := batch.Slice(b, b+1)
		for i, index := range set.Index {
			copy(set.X[i*set.D:(i+1)*set.D], s.pool.Point(int(index)))
		}
		MedianCenter(set.X, set.N, set.D)
		for i := range set.X {
			set.X[i] *= float32(s.config.Factor)
		}
		if !s.Augments() {
			continue
		}
		for i, isBase := range basePoints(rng, set.Labels) {
			if x := set.X[i*set.D : (i+1)*set.D]; !isBase || s.config.AugmentBase {
				s.config.Vectors.Apply(rng, x, x)
			}
		}
	}
}

// inParts splits 0..n−1 over the cores, calls work on every part in parallel, and waits.
func inParts(n int, work func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var group sync.WaitGroup
	for part := range parts {
		group.Go(func() { work(part*n/parts, (part+1)*n/parts) })
	}
	group.Wait()
}
