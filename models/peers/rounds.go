package peers

import (
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/internal/partition"
)

// Left are the points of a set that have no cluster yet, by their indices, ascending.
type Left struct {
	Set    int
	Points []int32
}

// Rounds clusters b sets of n points, one cluster of each set a round, and returns canonical labels [B][N]. All sets
// with points left go through a round side by side: find returns for each of their points whether it leaves with the
// new cluster. At least one point must leave. A last point is a cluster of its own without asking; so are all points
// left after a number of rounds. It returns the first error of find.
func Rounds(b, n, rounds int, find func(left []Left) (leave [][]bool, err error)) ([][]int32, error) {
	labels, left := make([][]int32, b), make([]Left, b)
	for set := range b {
		labels[set], left[set] = make([]int32, n), Left{set, partition.Singletons(n)}
	}
	for round := 0; ; round++ {
		left = slices.DeleteFunc(left, func(l Left) bool {
			last := len(l.Points) <= 1 || round == rounds
			if last {
				l.take(slices.Repeat([]bool{true}, len(l.Points)), labels[l.Set], round)
			}
			return last
		})
		if len(left) == 0 {
			break
		}
		leave, err := find(left)
		if err != nil {
			return nil, err
		}
		for i := range left {
			left[i].take(leave[i], labels[left[i].Set], round)
		}
	}
	for _, l := range labels {
		partition.Renumber(l)
	}
	return labels, nil
}

// take labels the points that leave with the number of a cluster, and keeps the others.
func (l *Left) take(leave []bool, labels []int32, cluster int) {
	kept := l.Points[:0]
	for i, point := range l.Points {
		if leave[i] {
			labels[point] = int32(cluster)
		} else {
			kept = append(kept, point)
		}
	}
	l.Points = kept
}

// SplitRand returns a new generator seeded by rng. With one for each set, a set's random numbers do not depend on the
// others.
func SplitRand(rng *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) }
