package em

// Sets are disjoint sets of numbers, as a union-find forest. Each set is named by its smallest member.
type Sets []int

// Of returns the name of the set of i.
func (s Sets) Of(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// Join makes the sets of i and j one set.
func (s Sets) Join(i, j int) {
	i, j = s.Of(i), s.Of(j)
	s[max(i, j)] = min(i, j)
}
