package data

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
