// Package partition holds what every package that handles labels needs: one canonical numbering.
package partition

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
