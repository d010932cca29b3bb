package posterior

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"gonum.org/v1/gonum/floats"
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
	total := extensions(n)[0][n]
	flat := make([]int32, 0, total*n)
	labels := make([]int32, n)
	var visit func(i int, k int32)
	visit = func(i int, k int32) {
		if i == n {
			flat = append(flat, labels...)
			return
		}
		for c := range k + 1 {
			labels[i] = c
			visit(i+1, max(k, c+1))
		}
	}
	visit(0, 0)
	parts := make([][]int32, total)
	for p := range parts {
		parts[p] = flat[p*n : (p+1)*n : (p+1)*n]
	}
	return parts, nil
}

// PartitionIndex returns the place of the partition with these labels [N] (of any values) in Partitions(N), without
// listing them. It returns an error unless 1 ≤ N ≤ MaxEnumerated.
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
		return usererr.New("draw samples instead", "partitions of %d points cannot be listed: 1 to %d points", n, MaxEnumerated)
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

// Enumerate returns the exact posterior of the partition of points x [N·D] (row-major, data units), N ≤ MaxEnumerated,
// and the log-evidence log p(x) = log Σ_c p(c)·p(x|c) in nats.
//
// prior is a law over partitions of N points, such as that of CRP.Prior; one that does not sum to 1 gives the same
// posterior and an evidence off by its mass. Sums over the points are kept along the tree of restricted growth strings,
// so that a partition costs O(D): milliseconds for N = 9.
//
// It returns the faults of g, metrics.ErrLength, metrics.ErrTooFew and metrics.ErrNotFinite for points that are none, and
// metrics.ErrNotFinite if the prior excludes every partition.
func Enumerate(g Gaussian, prior Prior, x []float64) (d *Distribution, logEvidence float64, err error) {
	n, err := g.points(x)
	if err != nil {
		return nil, 0, fmt.Errorf("enumerate partitions: %w", err)
	}
	parts, err := Partitions(n)
	if err != nil {
		return nil, 0, err
	}
	t := tree{
		table: newPredictive(g, n), prior: prior, x: x, n: n, dim: g.Dim,
		sum: make([]float64, n*g.Dim), saved: make([]float64, n*g.Dim), out: make([]float64, 0, len(parts)),
	}
	t.visit(0, 0)
	logEvidence = floats.LogSumExp(t.out)
	if math.IsInf(logEvidence, 0) || math.IsNaN(logEvidence) {
		return nil, 0, fmt.Errorf("enumerate partitions: log-evidence is %v: %w", logEvidence, metrics.ErrNotFinite)
	}
	floats.AddConst(-logEvidence, t.out)
	return &Distribution{Labels: parts, LogProb: t.out}, logEvidence, nil
}

// tree walks over the partitions in the order of Partitions.
type tree struct {
	table      predictive
	prior      Prior
	x          []float64 // [N·D]
	n, dim     int
	size       []int     // [K so far]
	sum, saved []float64 // [K·D]; saved[i] is the sum that point i was added to, so that going back does not round
	out        []float64
}

func (t *tree) visit(i int, logLikelihood float64) {
	if i == t.n {
		t.out = append(t.out, t.prior(t.size)+logLikelihood)
		return
	}
	point, saved := t.x[i*t.dim:(i+1)*t.dim], t.saved[i*t.dim:(i+1)*t.dim]
	k := len(t.size)
	for c := range k + 1 {
		if c == k {
			t.size = append(t.size, 0)
		}
		sum := t.sum[c*t.dim : (c+1)*t.dim]
		gain := t.table.logProb(t.size[c], sum, point)
		copy(saved, sum)
		floats.Add(sum, point)
		t.size[c]++
		t.visit(i+1, logLikelihood+gain)
		t.size[c]--
		copy(sum, saved)
	}
	t.size = t.size[:k]
}
