package posterior

import (
	"encoding/binary"

	"github.com/gfncp/gfncp/metrics"
)

// partition is one labeling in canonical form.
type partition struct {
	labels []int32 // [N], canonical
	size   []int   // [K], points of each cluster
	order  []int32 // [N], point indices sorted by cluster
}

func newPartition(labels []int32) *partition {
	canon, k := metrics.Canonical(labels)
	p := &partition{labels: canon, size: make([]int, k), order: make([]int32, len(canon))}
	for _, c := range canon {
		p.size[c]++
	}
	next := make([]int, k)
	for c := 1; c < k; c++ {
		next[c] = next[c-1] + p.size[c-1]
	}
	for i, c := range canon {
		p.order[next[c]] = int32(i)
		next[c]++
	}
	return p
}

// groups calls visit with the point indices of every cluster, cluster by cluster.
func (p *partition) groups(visit func(points []int32)) {
	start := 0
	for _, size := range p.size {
		visit(p.order[start : start+size])
		start += size
	}
}

// weighted is a partition that count of the samples are equal to.
type weighted struct {
	*partition
	count int
}

// distinct returns the different partitions among samples, in order of first appearance, with their counts.
func distinct(samples [][]int32) []weighted {
	var out []weighted
	seen := make(map[string]int, len(samples))
	for _, labels := range samples {
		canon, _ := metrics.Canonical(labels)
		k := key(canon)
		i, ok := seen[k]
		if !ok {
			i = len(out)
			seen[k] = i
			out = append(out, weighted{partition: newPartition(canon)})
		}
		out[i].count++
	}
	return out
}

// key returns canonical labels as a map key.
func key(canon []int32) string {
	b := make([]byte, 0, 4*len(canon))
	for _, c := range canon {
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	return string(b)
}
