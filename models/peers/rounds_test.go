package peers_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/models/peers"
)

// Rounds that each find the cluster of the first point left give the true clusters.
func TestRoundsFindClusters(t *testing.T) {
	truth := [][]int32{{0, 0, 1, 2, 1, 0, 2}, {0, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6}}
	got := must.M1(peers.Rounds(3, 7, 50, func(left []peers.Left) (leave [][]bool, err error) {
		for _, l := range left {
			one := make([]bool, len(l.Points))
			for i, point := range l.Points {
				one[i] = truth[l.Set][point] == truth[l.Set][l.Points[0]]
			}
			leave = append(leave, one)
		}
		return leave, nil
	}))
	if !slices.EqualFunc(got, truth, slices.Equal) {
		t.Errorf("labels %v, want %v", got, truth)
	}
}

// Of 60 points, 50 rounds take one each; the other 10 form one last cluster. Of 50, 49 do: the last one needs no round.
func TestRoundsAreLimited(t *testing.T) {
	for _, c := range []struct{ n, rounds, clusters int }{{60, 50, 51}, {50, 49, 50}, {1, 0, 1}} {
		rounds := 0
		got := must.M1(peers.Rounds(2, c.n, 50, func(left []peers.Left) (leave [][]bool, err error) {
			rounds++
			for _, l := range left {
				leave = append(leave, slices.Insert(make([]bool, len(l.Points)-1), 0, true))
			}
			return leave, nil
		}))
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
	fault := errors.New("no answer")
	find := func([]peers.Left) ([][]bool, error) { return nil, fault }
	if _, err := peers.Rounds(1, 2, 50, find); !errors.Is(err, fault) {
		t.Errorf("a finder that fails gave %v", err)
	}
}
