package metrics

// Canonical returns labels renumbered in order of first appearance, starting at 0, and the number of clusters K.
//
// labels has shape [N] and may hold any int32 values; it is not changed. Two labelings are the same partition exactly
// when their canonical forms are equal. Time O(N).
func Canonical(labels []int32) (canon []int32, k int) {
	canon = make([]int32, len(labels))
	if !withinLength(labels) {
		return canon, renumberMap(canon, labels)
	}
	return canon, renumberTable(canon, labels)
}

// withinLength reports whether all labels lie in 0..N-1, so that a table of N entries can hold them.
func withinLength(labels []int32) bool {
	for _, c := range labels {
		if c < 0 || int(c) >= len(labels) {
			return false
		}
	}
	return true
}

func renumberTable(dst, labels []int32) (k int) {
	names := make([]int32, len(labels)) // new name + 1; 0 = not seen yet
	for i, c := range labels {
		if names[c] == 0 {
			k++
			names[c] = int32(k)
		}
		dst[i] = names[c] - 1
	}
	return k
}

func renumberMap(dst, labels []int32) int {
	names := make(map[int32]int32)
	for i, c := range labels {
		name, seen := names[c]
		if !seen {
			name = int32(len(names))
			names[c] = name
		}
		dst[i] = name
	}
	return len(names)
}
