package data

// Canonicalize renumbers labels [N] in place, from 0 in order of first appearance, and returns the number of clusters.
// Any int32 values are accepted; points that shared a label share one afterwards, and no others do.
func Canonicalize(labels []int32) (clusters int) {
	names := make(map[int32]int32)
	for i, old := range labels {
		name, ok := names[old]
		if !ok {
			name = int32(len(names))
			names[old] = name
		}
		labels[i] = name
	}
	return len(names)
}

// clusterSizes returns the number of points in each cluster, shape [K], of canonical labels [N].
func clusterSizes(labels []int32) []int {
	var sizes []int
	for _, k := range labels {
		if int(k) == len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[k]++
	}
	return sizes
}
