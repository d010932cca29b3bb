// Package partition serves every package that handles labels: it holds one canonical numbering, and the law of the
// number of clusters.
package partition

import "iter"

// Renumber renames labels [N] in place, from 0 in order of first appearance, and returns the number of clusters K. Any
// int32 values are accepted. Two labelings are the same partition exactly when their renumbered forms are equal. Time
// O(N).
func Renumber(labels []int32) (k int) {
	names := make([]int32, len(labels)) // of the labels 0..N−1: new name + 1; 0 = not seen yet
	others := map[int32]int32{}         // of all other labels, in the same way
	for i, label := range labels {
		usual := label >= 0 && int(label) < len(labels)
		var name int32
		if usual {
			name = names[label]
		} else {
			name = others[label]
		}
		if name == 0 {
			k++
			name = int32(k)
			if usual {
				names[label] = name
			} else {
				others[label] = name
			}
		}
		labels[i] = name - 1
	}
	return k
}

// Partition is one labeling in canonical form.
type Partition struct {
	Labels []int32 // [N], canonical
	Size   []int   // [K], points of each cluster
	order  []int32 // [N], point indices sorted by cluster
}

// New returns the partition of labels [N] of any values, which it copies. Time O(N).
func New(labels []int32) *Partition {
	canonical := append([]int32{}, labels...)
	k := Renumber(canonical)
	p := &Partition{Labels: canonical, Size: make([]int, k), order: make([]int32, len(canonical))}
	for _, c := range canonical {
		p.Size[c]++
	}
	next := make([]int, k)
	for c := 1; c < k; c++ {
		next[c] = next[c-1] + p.Size[c-1]
	}
	for i, c := range canonical {
		p.order[next[c]] = int32(i)
		next[c]++
	}
	return p
}

// Clusters yields the point indices of every cluster, rising, cluster by cluster.
func (p *Partition) Clusters() iter.Seq2[int, []int32] {
	return func(yield func(int, []int32) bool) {
		start := 0
		for c, size := range p.Size {
			if !yield(c, p.order[start:start+size]) {
				return
			}
			start += size
		}
	}
}

// Cell is an entry of the contingency table of two partitions: so many points are in a cluster of one and a cluster of
// the other.
type Cell struct {
	Row   int
	Col   int32
	Count int
}

// Cells yields the entries above 0 of the contingency table of p (rows) and q (columns), two partitions of the same
// points. They come row by row, in a fixed order. Time O(N).
func (p *Partition) Cells(q *Partition) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		count := make([]int, len(q.Size)) // of a row
		for row, points := range p.Clusters() {
			for _, i := range points {
				count[q.Labels[i]]++
			}
			for _, i := range points {
				col := q.Labels[i]
				if count[col] > 0 && !yield(Cell{row, col, count[col]}) {
					return
				}
				count[col] = 0
			}
		}
	}
}

// Singletons returns the labels 0..n−1, of the partition in which every point is alone.
func Singletons(n int) []int32 {
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(i)
	}
	return labels
}

// CountLaw returns P(K = k) for k = 0..most under the Chinese restaurant process of n points. K is a sum of independent
// indicators "point i opens a cluster" with probability α/(α+i), so the law follows by adding one point after another.
func CountLaw(n int, alpha float64, most int) []float64 {
	law := make([]float64, most+1)
	law[0] = 1
	for i := range n {
		opens := alpha / (alpha + float64(i))
		for k := min(i+1, most); k >= 1; k-- {
			law[k] = law[k]*(1-opens) + law[k-1]*opens
		}
		law[0] *= 1 - opens
	}
	return law
}
