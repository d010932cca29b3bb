package dac

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/metrics"
)

// maxRounds is the number of rounds after which the points left form one last cluster (published).
const maxRounds = 50

// remainder is what is left of a set between two rounds.
type remainder struct {
	set    int
	points []int32 // indices of the points without a cluster, ascending
	anchor int     // position in points of the anchor, −1 for min-filtering
}

// finder looks for one cluster in each remainder: it returns a logit for each of its points to be in it.
type finder func(left []remainder) ([][]float32, error)

// clusterInRounds finds cluster after cluster of b sets of n points and returns canonical labels [B][N]. All sets with
// points left go through a round side by side. anchors [B] draws each set's anchors; nil for min-filtering.
func clusterInRounds(find finder, anchors []*rand.Rand, b, n int) ([][]int32, error) {
	labels := make([][]int32, b)
	left := make([]remainder, b)
	for set := range b {
		labels[set] = make([]int32, n)
		left[set] = remainder{set: set, points: make([]int32, n), anchor: -1}
		for i := range n {
			left[set].points[i] = int32(i)
		}
	}
	for round := range maxRounds {
		left = slices.DeleteFunc(left, func(r remainder) bool { return r.closeIfDecided(labels[r.set], round) })
		if len(left) == 0 {
			break
		}
		for i, r := range left {
			if anchors != nil {
				left[i].anchor = anchors[r.set].IntN(len(r.points))
			}
		}
		logits, err := find(left)
		if err != nil {
			return nil, fmt.Errorf("DAC, round %d: %w", round+1, err)
		}
		for i := range left {
			if err := left[i].take(logits[i], labels[left[i].set], round); err != nil {
				return nil, fmt.Errorf("DAC, round %d: %w", round+1, err)
			}
		}
	}
	for _, r := range left {
		r.close(labels[r.set], maxRounds)
	}
	for set := range labels {
		labels[set], _ = metrics.Canonical(labels[set])
	}
	return labels, nil
}

// closeIfDecided reports whether nothing is left to find: no point, or a single one, which is a cluster of its own
// whatever the network says. It enters that.
func (r remainder) closeIfDecided(labels []int32, round int) bool {
	if len(r.points) > 1 {
		return false
	}
	r.close(labels, round)
	return true
}

// close gives all points left the number of one cluster.
func (r remainder) close(labels []int32, cluster int) {
	for _, i := range r.points {
		labels[i] = int32(cluster)
	}
}

// take gives the points with positive logits, and the anchor if there is one, the number of a cluster and keeps the
// others. If that would be none, it takes the one point with the largest logit (the first of equals).
func (r *remainder) take(logits []float32, labels []int32, cluster int) error {
	best := 0
	for i, l := range logits {
		if math.IsNaN(float64(l)) || math.IsInf(float64(l), 0) {
			return fmt.Errorf("set %d: the logit of point %d is %g", r.set, r.points[i], l)
		}
		if l > logits[best] {
			best = i
		}
	}
	if r.anchor >= 0 {
		best = r.anchor
	}
	kept := r.points[:0]
	for i, point := range r.points {
		if logits[i] > 0 || i == best {
			labels[point] = int32(cluster)
		} else {
			kept = append(kept, point)
		}
	}
	r.points = kept
	return nil
}
