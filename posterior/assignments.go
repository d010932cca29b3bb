package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Assignments returns the probability that each point belongs to each cluster of a point estimate, shape [N][K+1].
//
// K is the number of clusters of estimate [N], column k its k-th cluster in order of first appearance (label k of
// canonical labels); column K is "another cluster". In every sample the clusters are matched one-to-one with the
// estimate's so that the total number of shared points is largest. A point counts for the estimate's cluster that its
// own sample cluster is matched with, and for column K if that cluster has no partner or shares no point with it. The
// entries are fractions of samples [S][N]; each row sums to 1 up to rounding (1e-12).
//
// The largest entry of a row need not be at the point's label in the estimate, which minimizes a loss over the whole
// partition. Time O(N + K³) for each different sample.
func Assignments(estimate []int32, samples [][]int32) [][]float64 {
	target := partition.New(estimate)
	k := len(target.Size)
	rows := make([][]float64, len(estimate))
	for i := range rows {
		rows[i] = make([]float64, k+1)
	}
	for _, d := range distinct(samples) {
		partner := matchClusters(d.Partition, target)
		for i, c := range d.Labels {
			rows[i][partner[c]] += float64(d.count)
		}
	}
	for _, row := range rows { // whole counts up to here
		for j := range row {
			row[j] /= float64(len(samples))
		}
	}
	return rows
}

// Smooth returns for each point [N] the cluster of estimate [N], as Assignments numbers them, in which most samples put
// it. This removes the noise of single draws. Some clusters may become empty.
func Smooth(estimate []int32, samples [][]int32) []int32 {
	labels := make([]int32, len(estimate))
	for i, row := range Assignments(estimate, samples) {
		labels[i] = int32(floats.MaxIdx(row[:len(row)-1]))
	}
	return labels
}

// Match matches the clusters of labels [N] with the clusters of estimate [N], as Assignments does. It returns, for each
// cluster of labels in order of first appearance, the label of its partner in the estimate, or other if it has no
// partner.
func Match(labels, estimate []int32, other int32) (partners []int32) {
	target := partition.New(estimate)
	names := make([]int32, len(target.Size), len(target.Size)+1)
	for i, c := range target.Labels {
		names[c] = estimate[i]
	}
	names = append(names, other)
	for _, c := range matchClusters(partition.New(labels), target) {
		partners = append(partners, names[c])
	}
	return partners
}

// Rename returns labels [N] with the names of their partners in estimate [N] (Match). Clusters without a partner are
// fresh, fresh+1, …
func Rename(labels, estimate []int32, fresh int32) []int32 {
	const noPartner = math.MinInt32
	names := Match(labels, estimate, noPartner)
	for c, name := range names {
		if name == noPartner {
			names[c] = fresh
			fresh++
		}
	}
	renamed, _ := metrics.Canonical(labels)
	for i, c := range renamed {
		renamed[i] = names[c]
	}
	return renamed
}

// matchClusters returns, for each cluster of sample, the column of Assignments that its points count for.
func matchClusters(sample, target *partition.Partition) []int {
	k := len(target.Size)
	overlap := make([][]int, len(sample.Size))
	for c := range overlap {
		overlap[c] = make([]int, k)
	}
	for cell := range sample.Cells(target) {
		overlap[cell.Row][cell.Col] = cell.Count
	}
	partner := maxOverlap(overlap)
	for c, j := range partner {
		if j < 0 || overlap[c][j] == 0 {
			partner[c] = k
		}
	}
	return partner
}

// maxOverlap returns the one-to-one matching of rows to columns with the largest total overlap [R][C]: for every row
// the column it is matched with, or −1. As many rows are matched as there are columns, pairs without overlap included.
//
// Hungarian method with shortest augmenting paths (Kuhn 1955; Jonker & Volgenant 1987), time O(min(R,C)²·max(R,C)).
func maxOverlap(overlap [][]int) []int {
	if len(overlap) > len(overlap[0]) {
		return solveAssignment(transpose(overlap)) // its columns are our rows
	}
	colOf := make([]int, len(overlap))
	for j, i := range solveAssignment(overlap) {
		if i >= 0 {
			colOf[i] = j
		}
	}
	return colOf
}

func transpose(m [][]int) [][]int {
	t := make([][]int, len(m[0]))
	for j := range t {
		t[j] = make([]int, len(m))
		for i := range m {
			t[j][i] = m[i][j]
		}
	}
	return t
}

// solveAssignment returns, for each of the C columns of a gain matrix [R][C], the row matched with it, or −1; R ≤ C.
//
// The dual variables keep row[i] + col[j] ≥ gain[i][j] for all pairs, with equality on matched ones, and col[j] = 0 for
// unmatched columns. When all rows are matched, these conditions prove that no matching gains more.
func solveAssignment(gain [][]int) (rowOf []int) {
	columns := len(gain[0])
	row, col := make([]int, len(gain)), make([]int, columns)
	rowOf = slices.Repeat([]int{-1}, columns)
	for root := range gain {
		row[root] = slices.Max(gain[root])
		// For each column outside the tree: least row+col−gain from a row of it, and the column before it on the path.
		slack, from := slices.Repeat([]int{math.MaxInt}, columns), make([]int, columns)
		inTree := make([]bool, columns)
		// Grow the tree by its tightest column until that is a free one: the shortest alternating path from the root.
		last := -1
		for i := root; i >= 0; i = rowOf[last] {
			next := -1
			for j := range columns {
				if inTree[j] {
					continue
				}
				if d := row[i] + col[j] - gain[i][j]; d < slack[j] {
					slack[j], from[j] = d, last
				}
				if next < 0 || slack[j] < slack[next] {
					next = j
				}
			}
			// Lower the tree's rows and raise its columns, so that one more pair becomes tight.
			delta := slack[next]
			row[root] -= delta
			for j := range columns {
				if inTree[j] {
					row[rowOf[j]] -= delta
					col[j] += delta
				} else {
					slack[j] -= delta
				}
			}
			inTree[next], last = true, next
		}
		for j := last; j >= 0; j = from[j] { // each column on the path takes the row of the column before it
			rowOf[j] = root
			if from[j] >= 0 {
				rowOf[j] = rowOf[from[j]]
			}
		}
	}
	return rowOf
}

// PointUncertainty measures how uncertain one point's cluster in a point estimate is.
type PointUncertainty struct {
	// Elsewhere is 1 − the probability of the point's own cluster in the estimate (Assignments).
	Elsewhere float64 `json:"elsewhere"`
	// Entropy is the entropy of the point's row of Assignments, in nats, at most log(K+1): 0 when all samples agree.
	// All clusters that match no cluster of the estimate count as one.
	Entropy float64 `json:"entropy"`
	// VI is the point's share of the expected variation of information, in nats; the shares sum to LossVI.Expected:
	//
	//	(1/N)·E[log a + log b − 2·log m]
	//
	// for the sizes a, b of the point's clusters in the estimate and in a sample, and the number m of points that are
	// in both (VI as a sum over points: Wade & Ghahramani 2018). Unlike the other two it needs no matching of clusters.
	VI float64 `json:"vi"`
}

// Uncertainty returns the uncertainty of every point [N] in a point estimate [N], given samples [S][N].
func Uncertainty(estimate []int32, samples [][]int32) []PointUncertainty {
	target := partition.New(estimate)
	out := make([]PointUncertainty, len(estimate))
	for i, row := range Assignments(estimate, samples) {
		own := int(target.Labels[i])
		for k, p := range row {
			if k != own {
				out[i].Elsewhere += p // a sum of small probabilities keeps them exact, 1 − p does not
			}
		}
		out[i].Entropy = max(0, stat.Entropy(row)) // −1·log 1 is −0
	}
	shares := viShares(target, samples)
	for i := range out {
		out[i].VI = shares[i] / (float64(len(samples)) * float64(len(estimate)))
	}
	return out
}

// viShares returns Σ over samples of log a + log b − 2·log m for every point [N]; see PointUncertainty.VI.
func viShares(target *partition.Partition, samples [][]int32) []float64 {
	n := len(target.Labels)
	logs := make([]float64, n+1)
	for m := 2; m <= n; m++ {
		logs[m] = math.Log(float64(m))
	}
	shares, shared := make([]float64, n), make([]int, n)
	for _, d := range distinct(samples) {
		weight := float64(d.count)
		for _, points := range target.Clusters() {
			for _, p := range points {
				shared[d.Labels[p]]++
			}
			for _, p := range points {
				c := d.Labels[p]
				shares[p] += weight * (logs[len(points)] + logs[d.Size[c]] - 2*logs[shared[c]])
			}
			for _, p := range points {
				shared[d.Labels[p]] = 0
			}
		}
	}
	return shares
}
