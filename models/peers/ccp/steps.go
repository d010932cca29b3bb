package ccp

import (
	"math/rand/v2"

	"github.com/gfncp/gfncp/internal/partition"
)

// step is one step of the process that finds the clusters of given labels: points and clusters by their numbers.
type step struct {
	anchor  int32
	in, out []int32 // the other unassigned points: those of the anchor's cluster, and the rest
	before  []int32 // the clusters found so far
}

// others is the number of unassigned points beside the anchor.
func (s step) others() int { return len(s.in) + len(s.out) }

// drawSteps finds the clusters of labels [N] in a random order: each time the cluster of an anchor that is drawn
// uniformly from the unassigned points. A step without another unassigned point, which can only be the last one, has
// probability 1 and is left out.
func drawSteps(rng *rand.Rand, labels []int32) []step {
	left := make([]int32, len(labels))
	for i := range left {
		left[i] = int32(i)
	}
	var steps []step
	var found []int32
	for len(left) > 0 {
		s := step{anchor: left[rng.IntN(len(left))], before: found[:len(found):len(found)]}
		cluster := labels[s.anchor]
		for _, i := range left {
			switch {
			case i == s.anchor:
			case labels[i] == cluster:
				s.in = append(s.in, i)
			default:
				s.out = append(s.out, i)
			}
		}
		if s.others() > 0 {
			steps = append(steps, s)
		}
		found, left = append(found, cluster), s.out
	}
	return steps
}

// labelledSet is a set with some steps towards its labels.
type labelledSet struct {
	x      []float32 // [N,D]
	labels []int32   // [N], canonical
	k      int       // clusters
	steps  []step
	weight float32 // of each step in the objective
	rng    *rand.Rand
}

// newSet returns a set without steps. Its own generator is seeded by rng, so that what is drawn for a set does not
// depend on the sets beside it.
func newSet(rng *rand.Rand, x []float32, labels []int32) labelledSet {
	canonical := append([]int32{}, labels...)
	k := partition.Renumber(canonical)
	return labelledSet{x: x, labels: canonical, k: k, rng: split(rng), weight: 1}
}

// split returns a new generator seeded by rng.
func split(rng *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) }

// choose draws the set's steps and keeps at most count of them, weighted so that the expectation of the weighted sum
// over them is the sum over all.
func (s *labelledSet) choose(count int) {
	all := drawSteps(s.rng, s.labels)
	if len(all) <= count {
		s.steps = all
		return
	}
	for _, i := range s.rng.Perm(len(all))[:count] {
		s.steps = append(s.steps, all[i])
	}
	s.weight = float32(len(all)) / float32(count)
}
