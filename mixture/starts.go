package mixture

// startSizes are the clusters that the chains start from; a cluster has at least startRows rows in the mean.
var startSizes = [...]struct{ clusters, startRows, tail int }{
	{1, 1, 4}, {12, 20, gaussian}, {5, 20, 4}, {25, 15, gaussian},
}

// newStart returns the partition and ν that a chain starts from: K = 1, or the rows nearest to some rows at random.
func newStart(r *rows, chain int, rng random) (labels []int32, tail int) {
	kind := startSizes[chain]
	number := kind.clusters
	if number > 1 {
		number = max(2, min(number, r.n/kind.startRows))
	}
	number = min(max(number, r.known.least), r.known.mostClusters(), r.n)
	labels = make([]int32, r.n)
	if number > 1 {
		r.assignNearest(rng.Perm(r.n)[:number], labels)
	}
	r.known.mend(labels)
	return labels, kind.tail
}

// assignNearest gives each row the label of the nearest centre, a row of the table. Differences are bounded, so that
// rows far out do not draw all others.
func (r *rows) assignNearest(centres []int, labels []int32) {
	const bound = 6
	nearest := make([]float64, r.n)
	for k, centre := range centres {
		for i := range r.n {
			distance := 0.0
			for _, column := range r.columns {
				x := max(-bound, min(bound, column[i])) - max(-bound, min(bound, column[centre]))
				distance += x * x
			}
			for _, codes := range r.codes {
				if codes[i] != codes[centre] {
					distance += differingVar
				}
			}
			if k == 0 || distance < nearest[i] {
				nearest[i], labels[i] = distance, int32(k)
			}
		}
	}
}
