package mixture

import "math"

// chain is one Markov chain of the sampler, with all its room: a sweep allocates nothing.
type chain struct {
	rows      *rows
	rng       random
	law       *law
	partition *partitionLaw
	tails     [len(degrees)][]tail
	held      bool // hyperparameters, α and ν stay as they are (for tests)

	labels   []int32    // [n], cluster of each row
	scales   []float64  // [n], u
	clusters []*cluster // of the partition at hand, views of pool
	pool     []*cluster
	tail     int // index into degrees
	alpha    float64
	number   int // K

	components []component
	distances  [][]float64 // [K][block], squared
	own        []float64   // [n], squared distance of a row to its component
	logDensity float64     // Σ log p(row | parameters), at the last label update
	parameters float64     // their number, then

	gather      *gatherer
	launch      *launch
	left, right *cluster // halves in a proposal
	both        *cluster // of a merge
	nothing     summary  // of no rows
	inLeft      []bool   // which of the rows at hand are in the left half
	places      []int    // see leading
	logs        []float64
	blockLogs   [][]float64 // [K][block]
	names       []int32
	least, most int // clusters
	unitRoom

	precisions, vector []float64
}

// newChain returns a chain at the partition labels [n], which need not be canonical, and at ν = degrees[tail].
func newChain(r *rows, labels []int32, tail int, rng random) *chain {
	r = r.ownCells()
	dim, levels := r.dim(), r.levels()
	c := &chain{
		rows: r, rng: rng, tail: tail, alpha: 1,
		law:       newLaw(dim, r.first, rng),
		partition: newPartitionLaw(r.total(), r.known.mostClusters()),
		tails:     newTails(dim),
		labels:    make([]int32, r.n), scales: make([]float64, r.n), own: make([]float64, r.n),
		gather: newGatherer(r), launch: newLaunch(r),
		left: newCluster(r), right: newCluster(r), both: newCluster(r), nothing: newSummary(dim, levels),
		inLeft: make([]bool, 0, r.n), places: make([]int, 0, r.n),
		precisions: make([]float64, dim*dim), vector: make([]float64, dim),
	}
	const most = mostComponents + 1
	c.logs, c.unitRoom = make([]float64, most), newUnitRoom(r, most)
	c.least, c.most = max(r.known.least, 1), r.known.mostClusters()
	c.names = make([]int32, max(r.n, most))
	c.distances, c.blockLogs = grid(most, block), grid(most, block)
	for range most {
		c.pool = append(c.pool, newCluster(r))
		c.components = append(c.components, newComponent(dim, levels))
	}
	for i := range c.scales {
		c.scales[i] = r.known.count(int32(i))
	}
	copy(c.labels, labels)
	c.list()
	return c
}

// list renumbers the labels from 0 in order of first appearance and lists the members of each cluster.
func (c *chain) list() {
	for i := range c.names {
		c.names[i] = -1
	}
	t := int32(0)
	for i, label := range c.labels {
		name := c.names[label]
		if name < 0 {
			name = t
			c.names[label] = name
			c.pool[name].members = c.pool[name].members[:0]
			copy(c.pool[name].scales, c.components[label].scales)
			t++
		}
		c.labels[i] = name
		c.pool[name].members = append(c.pool[name].members, int32(i))
	}
	c.clusters = c.pool[:t]
}

// sweep updates everything once. Hot sweeps, which begin a chain, find clusters fast and are no valid transitions.
func (c *chain) sweep(hot bool) {
	for _, k := range c.clusters {
		c.gather.summarize(&k.summary, k.members, c.scales)
		c.refresh(k)
	}
	c.partition.begin(c.alpha, c.clusters)
	c.splitAndMerge(hot)
	for _, k := range c.clusters {
		k.kappa = c.drawKappa(&k.summary)
	}
	if !c.held {
		c.drawDegrees()
	}
	c.number = c.partition.drawNumber(c.rng, len(c.clusters))
	if !c.held {
		c.alpha = drawAlpha(c.rng, c.alpha, c.number, c.rows.total(), c.clusters)
	}
	c.drawOccupied()
	if !c.held {
		c.drawHyper()
	}
	c.drawEmpty()
	c.drawLabels()
	c.parameters = c.countParameters()
	if !c.held {
		c.drawTail()
	}
	c.drawRowScales()
	c.rows.drawCells(c.rng, func(g *gap) (*component, float64) {
		return &c.components[c.labels[g.row]], 1 / math.Sqrt(c.scales[g.row])
	})
	c.list()
}
