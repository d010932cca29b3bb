package mixture

import (
	"math"
	"slices"

	"github.com/gfncp/gfncp/mixture/em"
)

// chain is one Markov chain of the sampler, with its scratch space: a sweep hardly allocates.
type chain struct {
	rows      *em.Rows
	known     *knowledge
	rng       em.Random
	law       *law
	partition *partitionLaw
	tails     [len(degrees)][]em.Tail
	held      bool // for tests: hyperparameters, α and ν do not change
	gaussian  bool // ν is fixed

	labels   []int32    // [n], cluster of each row
	scales   []float64  // [n], u
	clusters []*cluster // of the current partition, the first of pool
	pool     []*cluster
	tail     int // index into degrees
	alpha    float64
	number   int // K

	components []em.Component
	distances  [][]float64 // [K][block], squared
	own        []float64   // [n], squared distance of a row to its component
	logDensity float64     // Σ log p(row | parameters), at the last label update
	parameters float64     // number of parameters at the last label update
	logJoint   float64     // log p(rows, labels | hyperparameters) before the last label update, if rows are Gaussian

	ofCells float64 // Σ log density of the drawn cells, see drawRounded

	gather      *em.Part // scratch
	left, right *cluster // halves in a proposal
	both        *cluster // of a merge
	nothing     *cluster // of no rows
	inLeft      []bool   // which of the proposal's rows are in the left half
	places      []int    // see leading
	order       []int    // of the rows, in a proposal
	sides       [2]side
	logs        []float64
	blockLogs   [][]float64 // [K][block]
	names       []int32
	least       int // number of clusters

	unitLogs []float64 // [units][K], log joint probabilities of each unit with every component
	occupied []int     // number of units in each component; an unconstrained row counts as a unit
	onLeft   []bool    // [units], side of each in a split
	moving   []int32   // units of a Kempe chain
	moves    []bool    // [units]

	precisions, vector []float64
}

// newChain returns a chain at the partition labels [n], which need not be canonical, and at ν = degrees[tail].
func newChain(r *em.Rows, known *knowledge, labels []int32, tail int, rng em.Random) *chain {
	own := *r // each chain draws its own cells
	own.Columns = nil
	for _, column := range r.Columns {
		own.Columns = append(own.Columns, slices.Clone(column))
	}
	r = &own
	dim, levels := r.Dim(), r.Levels()
	c := &chain{
		rows: r, known: known, rng: rng, tail: tail, alpha: 1,
		law:       newLaw(r, labels, rng),
		partition: newPartitionLaw(float64(r.N), known.mostClusters()),
		labels:    make([]int32, r.N), scales: r.Ones(), own: make([]float64, r.N),
		gather: r.Some(),
		left:   newCluster(r), right: newCluster(r), both: newCluster(r), nothing: newCluster(r),
		inLeft: make([]bool, 0, r.N), places: em.UpTo(0, r.N), order: make([]int, 0, r.N),
		precisions: make([]float64, dim*dim), vector: make([]float64, dim),
	}
	const most = MostClusters + 1
	c.logs, c.occupied = make([]float64, most), make([]int, most)
	units := len(known.units)
	c.unitLogs, c.onLeft, c.moves = make([]float64, units*most), make([]bool, units), make([]bool, units)
	c.least = max(known.least, 1)
	c.names = make([]int32, max(r.N, most))
	c.distances, c.blockLogs = em.Grid(most, em.Block), em.Grid(most, em.Block)
	for at := range c.sides {
		c.sides[at] = newSide(dim, levels, r.Variables())
	}
	for range most {
		c.pool = append(c.pool, newCluster(r))
		c.components = append(c.components, em.NewComponent(dim, levels))
	}
	for at, nu := range degrees {
		c.tails[at] = em.NewTails(nu, dim)
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
			copy(c.pool[name].Scales, c.components[label].Scales)
			t++
		}
		c.labels[i] = name
		c.pool[name].members = append(c.pool[name].members, int32(i))
	}
	c.clusters = c.pool[:t]
}

// sweep updates the whole state of the chain once. Hot sweeps find clusters fast at the start; they do not keep the
// posterior.
func (c *chain) sweep(hot bool) {
	c.refreshClusters()
	c.splitAndMerge(hot)
	c.logJoint = c.partition.log(len(c.clusters))
	for _, k := range c.clusters {
		c.logJoint += k.Log
		k.kappa = c.drawKappa(&k.Summary)
	}
	if !c.held {
		c.drawDegrees()
	}
	c.partition.fill(len(c.clusters))
	c.number = c.partition.numbers[c.rng.Pick(c.partition.terms)]
	if !c.held {
		c.alpha = drawAlpha(c.rng, c.alpha, c.number, c.partition.rows, c.clusters)
	}
	for k, cluster := range c.clusters {
		c.drawParameters(&c.components[k], &cluster.Summary, cluster.kappa)
	}
	if !c.held {
		if !c.law.scaled {
			c.drawShared()
		}
		c.drawCentre()
		c.law.refresh()
	}
	c.drawEmpty()
	c.drawLabels()
	c.parameters = c.countParameters()
	if !c.held && !c.gaussian {
		c.drawTail()
	}
	c.drawRowScales()
	c.rows.DrawCells(c.rng, func(g *em.Gap) (*em.Component, float64) {
		return &c.components[c.labels[g.Row]], 1 / math.Sqrt(c.scales[g.Row])
	})
	c.ofCells = c.drawRounded()
	c.logDensity -= c.ofCells
	c.logJoint -= c.ofCells
	c.list()
}

// refreshClusters brings the clusters, and the prior of their partition, up to date with the rows.
func (c *chain) refreshClusters() {
	for _, k := range c.clusters {
		c.gather.Summarize(&k.Summary, k.members, c.scales)
		c.refresh(k)
	}
	c.partition.begin(c.alpha, c.clusters)
}

// cluster is one cluster of a partition.
type cluster struct {
	em.Summary
	members []int32 // rows, rising
	kappa   float64
	gammas  []float64 // log Γ(N + α/K), see partitionLaw
}

func newCluster(r *em.Rows) *cluster {
	dim := r.Dim()
	return &cluster{members: make([]int32, 0, r.N), Summary: em.Summary{
		Mean: make([]float64, dim), Scatter: make([]float64, dim*dim), Counts: make([]float64, r.Levels()),
		Scales: make([]float64, dim),
	}}
}
