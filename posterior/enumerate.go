package posterior

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// MaxEnumerated is the largest N whose partitions are listed one by one: there are Bell(9) = 21,147.
const MaxEnumerated = 9

// Partitions returns the canonical labels [N] of every partition of n points, Bell(n) of them, in lexicographic order:
// the restricted growth strings (Knuth, The Art of Computer Programming 4A, 7.2.1.5). It returns an error unless
// 1 ≤ n ≤ MaxEnumerated.
func Partitions(n int) ([][]int32, error) {
	if err := checkEnumerable(n); err != nil {
		return nil, err
	}
	var parts [][]int32
	labels := make([]int32, n)
	var visit func(i int, k int32)
	visit = func(i int, k int32) {
		if i == n {
			parts = append(parts, slices.Clone(labels))
			return
		}
		for c := range k + 1 {
			labels[i] = c
			visit(i+1, max(k, c+1))
		}
	}
	visit(0, 0)
	return parts, nil
}

// PartitionIndex returns the place of the partition with these labels [N] (of any values) in Partitions(N), without
// listing them.
func PartitionIndex(labels []int32) (int, error) {
	n := len(labels)
	if err := checkEnumerable(n); err != nil {
		return 0, err
	}
	canonical, _ := metrics.Canonical(labels)
	ways := extensions(n)
	index, k := 0, 0
	for i, c := range canonical {
		index += int(c) * ways[k][n-1-i] // each smaller label joins one of the k clusters there are
		k = max(k, int(c)+1)
	}
	return index, nil
}

func checkEnumerable(n int) error {
	if n < 1 || n > MaxEnumerated {
		return usererr.New("draw samples instead", "partitions of %d points cannot be listed: 1 to %d points",
			n, MaxEnumerated)
	}
	return nil
}

// extensions returns the table whose entry [k][r] is the number of ways to place r further points beside k clusters.
func extensions(n int) [][]int {
	ways := make([][]int, n+1)
	for k := n; k >= 0; k-- {
		ways[k] = make([]int, n-k+1)
		ways[k][0] = 1
		for r := 1; r <= n-k; r++ {
			ways[k][r] = k*ways[k][r-1] + ways[k+1][r-1]
		}
	}
	return ways
}

// EnumerateCentred returns the exact posterior of the partition of points x [N·D] (row-major, data units), N ≤
// MaxEnumerated, given only their differences (LogLikelihoodCentred). It returns the errors of g.Check, and
// metrics.ErrNotFinite if the prior excludes every partition. Time O(Bell(N)·N).
func EnumerateCentred(g Gaussian, prior Prior, x []float64) (*Distribution, error) {
	n, err := g.Check(x)
	if err != nil {
		return nil, fmt.Errorf("enumerate partitions: %w", err)
	}
	parts, err := Partitions(n)
	if err != nil {
		return nil, err
	}
	logProb := make([]float64, len(parts))
	for i, labels := range parts {
		if logProb[i] = prior(partition.New(labels).Size); math.IsInf(logProb[i], -1) {
			continue
		}
		fit, err := g.LogLikelihoodCentred(x, labels)
		if err != nil {
			return nil, err
		}
		logProb[i] += fit
	}
	logMass := floats.LogSumExp(logProb)
	if math.IsInf(logMass, -1) {
		return nil, fmt.Errorf("the prior excludes every partition: %w", metrics.ErrNotFinite)
	}
	floats.AddConst(-logMass, logProb)
	return &Distribution{Labels: parts, LogProb: logProb}, nil
}
