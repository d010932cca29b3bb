package partition

import "iter"

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
