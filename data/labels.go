package data

// clusterSizes returns the number of points in each cluster, shape [K], of labels [N] that are 0..K−1 in any order.
func clusterSizes(labels []int32) []int {
	var sizes []int
	for _, k := range labels {
		for int(k) >= len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[k]++
	}
	return sizes
}
