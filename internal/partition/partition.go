// Package partition holds what every package that handles labels needs: one canonical numbering.
package partition

// Renumber renames labels [N] in place, from 0 in order of first appearance, and returns the number of clusters K. Any
// int32 values are accepted. Two labelings are the same partition exactly when their renumbered forms are equal. Time O(N).
func Renumber(labels []int32) (k int) {
	if !withinLength(labels) {
		return renumberMap(labels)
	}
	return renumberTable(labels)
}

// withinLength reports whether all labels lie in 0..N−1, so that a table of N entries can hold them.
func withinLength(labels []int32) bool {
	for _, c := range labels {
		if c < 0 || int(c) >= len(labels) {
			return false
		}
	}
	return true
}

func renumberTable(labels []int32) (k int) {
	names := make([]int32, len(labels)) // new name + 1; 0 = not seen yet
	for i, c := range labels {
		if names[c] == 0 {
			k++
			names[c] = int32(k)
		}
		labels[i] = names[c] - 1
	}
	return k
}

func renumberMap(labels []int32) int {
	names := make(map[int32]int32)
	for i, c := range labels {
		name, seen := names[c]
		if !seen {
			name = int32(len(names))
			names[c] = name
		}
		labels[i] = name
	}
	return len(names)
}
