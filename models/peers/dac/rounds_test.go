package dac

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// ofFirst finds the cluster of truth of the first point left, or of the anchor.
func ofFirst(truth [][]int32) finder {
	return func(left []remainder) ([][]float32, error) {
		logits := make([][]float32, len(left))
		for i, r := range left {
			wanted := truth[r.set][r.points[max(r.anchor, 0)]]
			for _, point := range r.points {
				logit := float32(-1)
				if truth[r.set][point] == wanted {
					logit = 1
				}
				logits[i] = append(logits[i], logit)
			}
		}
		return logits, nil
	}
}

// constant gives every point left the same logit, and counts the rounds.
func constant(logit float32, rounds *int) finder {
	return func(left []remainder) ([][]float32, error) {
		*rounds++
		logits := make([][]float32, len(left))
		for i, r := range left {
			logits[i] = slices.Repeat([]float32{logit}, len(r.points))
		}
		return logits, nil
	}
}

func sources(seeds ...uint64) []*rand.Rand {
	var all []*rand.Rand
	for _, seed := range seeds {
		all = append(all, newRand(seed))
	}
	return all
}

func TestRoundsFindClusters(t *testing.T) {
	truth := [][]int32{{0, 0, 1, 2, 1, 0, 2}, {0, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6}}
	for name, anchors := range map[string][]*rand.Rand{"min": nil, "anchored": sources(1, 2, 3)} {
		got := must.M1(clusterInRounds(ofFirst(truth), anchors, 3, 7))
		if !slices.EqualFunc(got, truth, slices.Equal) {
			t.Errorf("%s: labels %v, want %v", name, got, truth)
		}
	}
}

// A round in which no logit is positive takes the point with the largest logit alone: here point 2, and then the others
// at once.
func TestRoundsMakeProgress(t *testing.T) {
	round := 0
	got := must.M1(clusterInRounds(func(left []remainder) ([][]float32, error) {
		round++
		if round == 1 {
			return [][]float32{{-3, -2, -1, -2}}, nil
		}
		if want := []int32{0, 1, 3}; !slices.Equal(left[0].points, want) {
			return nil, fmt.Errorf("points %v are left, want %v", left[0].points, want)
		}
		return [][]float32{{1, 1, 1}}, nil
	}, nil, 1, 4))
	if want := []int32{0, 0, 1, 0}; !slices.Equal(got[0], want) {
		t.Errorf("labels %v, want %v", got[0], want)
	}
}

// The anchor is in its cluster even where its logit is the lowest. With logits +1 at all other points one round is all.
func TestRoundsTakeTheAnchor(t *testing.T) {
	rounds := 0
	got := must.M1(clusterInRounds(func(left []remainder) ([][]float32, error) {
		rounds++
		logits := slices.Repeat([]float32{1}, len(left[0].points))
		logits[left[0].anchor] = -5
		return [][]float32{logits}, nil
	}, sources(1), 1, 6))
	if rounds != 1 || !slices.Equal(got[0], make([]int32, 6)) {
		t.Errorf("labels %v after %d rounds, want one cluster after one", got[0], rounds)
	}
}

// Of 60 points, 50 rounds take one each; the other 10 form one last cluster. Of 50, 49 do: the last one needs no round.
func TestRoundsAreLimited(t *testing.T) {
	for _, c := range []struct{ n, rounds, clusters int }{{60, 50, 51}, {50, 49, 50}, {1, 0, 1}} {
		rounds := 0
		got := must.M1(clusterInRounds(constant(-1, &rounds), nil, 2, c.n))
		for _, labels := range got {
			if rounds != c.rounds || int(slices.Max(labels))+1 != c.clusters {
				t.Errorf("%d points: %d rounds and %d clusters, want %d and %d",
					c.n, rounds, slices.Max(labels)+1, c.rounds, c.clusters)
			}
		}
		if c.n == 60 && slices.Contains(got[0][50:], 49) {
			t.Errorf("the points left are not in the last cluster: %v", got[0])
		}
	}
}

func TestRoundsRefuseNaN(t *testing.T) {
	for _, logit := range []float64{math.NaN(), math.Inf(1)} {
		rounds := 0
		if got, err := clusterInRounds(constant(float32(logit), &rounds), nil, 1, 3); err == nil {
			t.Errorf("logit %g gave labels %v", logit, got)
		}
	}
}
