package mixture

import "github.com/gfncp/gfncp/mixture/em"

// startSizes are the numbers of clusters that the chains start from, fewer if a cluster would have less than startRows
// rows on average.
var startSizes = [...]struct{ clusters, startRows, tail int }{
	{1, 1, 4}, {12, 20, gaussian}, {5, 20, 4}, {25, 15, gaussian},
}

const (
	coreChain     = 1 // starts from the rows in the densest place and all others, if they beat its usual start
	revealedChain = 2 // starts from groups in directions of least kurtosis, if they do
)

// newStart returns the partition and the index of ν from which a chain starts: one cluster, or clusters around random
// rows, which Revealed or Core may improve.
func newStart(r *em.Rows, known *knowledge, chain int, rng em.Random) (labels []int32, tail int) {
	kind := startSizes[chain]
	number := kind.clusters
	if number > 1 {
		number = max(2, min(number, r.N/kind.startRows))
	}
	number = min(max(number, known.least), known.mostClusters(), r.N)
	labels = make([]int32, r.N)
	if number > 1 {
		r.AssignNearest(rng.Perm(r.N)[:number], labels)
	}
	if chain == revealedChain && number > 1 && r.Dim() > 2 {
		other := em.NewRandom(uint64(r.N), 0x72657665616c) // the chain draws the same if the groups do not help
		common := func(labels []int32) float64 { return newChain(r, known, labels, gaussian, other).logCommon() }
		shown := r.Revealed(other, max(2, known.least), known.mostClusters())
		if shown != nil && common(shown) > common(labels) {
			labels = shown
		}
	}
	if chain == coreChain && r.Dim() > 0 {
		other := em.NewRandom(uint64(r.N), 0x636f7265)
		joint := func(labels []int32) float64 { return newChain(r, known, labels, gaussian, other).joint() }
		if core := r.Core(); joint(core) > max(joint(labels), joint(make([]int32, r.N))) {
			labels = core
		}
	}
	known.mend(labels)
	return labels, kind.tail
}

// joint returns log p(rows, labels | hyperparameters) of the present partition.
func (c *chain) joint() (log float64) {
	c.refreshClusters()
	for _, k := range c.clusters {
		log += k.Log
	}
	return log + c.partition.log(len(c.clusters))
}
