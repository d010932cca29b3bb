package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// chain is one Markov chain of the sampler, with its scratch space: a sweep hardly allocates.
type chain struct {
	rows      *rows
	rng       random
	law       *law
	partition *partitionLaw
	tails     [len(degrees)][]tail
	held      bool // for tests: hyperparameters, α and ν do not change
	gaussian  bool // ν is fixed

	labels   []int32    // [n], cluster of each row
	scales   []float64  // [n], u
	clusters []*cluster // of the current partition, the first of pool
	pool     []*cluster
	tail     int // index into degrees
	alpha    float64
	number   int // K

	components []component
	distances  [][]float64 // [K][block], squared
	own        []float64   // [n], squared distance of a row to its component
	logDensity float64     // Σ log p(row | parameters), at the last label update
	parameters float64     // number of parameters at the last label update
	logJoint   float64     // log p(rows, labels | hyperparameters) before the last label update, if rows are Gaussian

	ofCells float64 // Σ log density of the drawn cells, see drawRounded

	gather      *part // scratch
	launch      *em
	left, right *cluster // halves in a proposal
	both        *cluster // of a merge
	nothing     *cluster // of no rows
	inLeft      []bool   // which of the proposal's rows are in the left half
	places      []int    // see leading
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
func newChain(r *rows, labels []int32, tail int, rng random) *chain {
	own := *r // each chain draws its own cells
	own.columns = nil
	for _, column := range r.columns {
		own.columns = append(own.columns, slices.Clone(column))
	}
	r = &own
	dim, levels := r.dim(), r.levels()
	c := &chain{
		rows: r, rng: rng, tail: tail, alpha: 1,
		law:       newLaw(r, labels, rng),
		partition: newPartitionLaw(float64(r.n), r.known.mostClusters()),
		labels:    make([]int32, r.n), scales: r.ones(), own: make([]float64, r.n),
		gather: r.some(), launch: newEM(r.some(), 2, math.Inf(1)),
		left: newCluster(r), right: newCluster(r), both: newCluster(r), nothing: newCluster(r),
		inLeft: make([]bool, 0, r.n), places: upTo(0, r.n),
		precisions: make([]float64, dim*dim), vector: make([]float64, dim),
	}
	const most = MostClusters + 1
	c.logs, c.occupied = make([]float64, most), make([]int, most)
	units := len(r.known.units)
	c.unitLogs, c.onLeft, c.moves = make([]float64, units*most), make([]bool, units), make([]bool, units)
	c.least, c.launch.prior = max(r.known.least, 1), make([]float64, dim)
	c.names = make([]int32, max(r.n, most))
	c.distances, c.blockLogs = grid(most, block), grid(most, block)
	for range most {
		c.pool = append(c.pool, newCluster(r))
		c.components = append(c.components, newComponent(dim, levels))
	}
	for at, nu := range degrees {
		c.tails[at] = newTails(nu, dim)
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

// sweep updates the whole state of the chain once. Hot sweeps find clusters fast at the start; they do not keep the
// posterior.
func (c *chain) sweep(hot bool) {
	for _, k := range c.clusters {
		c.gather.summarize(&k.summary, k.members, c.scales)
		c.refresh(k)
	}
	c.partition.begin(c.alpha, c.clusters)
	c.splitAndMerge(hot)
	c.logJoint = c.partition.log(len(c.clusters))
	for _, k := range c.clusters {
		c.logJoint += k.log
		k.kappa = c.drawKappa(&k.summary)
	}
	if !c.held {
		c.drawDegrees()
	}
	c.partition.fill(len(c.clusters))
	c.number = c.rng.pick(c.partition.terms[:])
	if !c.held {
		c.alpha = drawAlpha(c.rng, c.alpha, c.number, c.partition.rows, c.clusters)
	}
	for k, cluster := range c.clusters {
		c.drawParameters(&c.components[k], &cluster.summary, cluster.kappa)
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
	c.rows.drawCells(c.rng, func(g *gap) (*component, float64) {
		return &c.components[c.labels[g.row]], 1 / math.Sqrt(c.scales[g.row])
	})
	c.ofCells = c.drawRounded()
	c.logDensity -= c.ofCells
	c.logJoint -= c.ofCells
	c.list()
}

// summary holds the statistics of a cluster's rows from which its law follows.
type summary struct {
	n       float64   // rows
	weight  float64   // Σ u
	mean    []float64 // [D], weighted with u
	scatter []float64 // [D·D], lower triangle of Σ u·(x − mean)(x − mean)ᵀ
	counts  []float64 // of levels, of all variables
	scales  []float64 // [D], log a, see scales.go
	log     float64   // log marginal likelihood under the present law
}

// cluster is one cluster of a partition.
type cluster struct {
	summary
	members []int32 // rows, rising
	kappa   float64
}

func newCluster(r *rows) *cluster {
	dim := r.dim()
	return &cluster{members: make([]int32, 0, r.n), summary: summary{
		mean: make([]float64, dim), scatter: make([]float64, dim*dim), counts: make([]float64, r.levels()),
		scales: make([]float64, dim),
	}}
}

// part is all rows of a table, or some as columns of their own; with weights.
type part struct {
	rows
	whole   *rows          // the table
	weights []float64      // [n], u, or 1
	roots   []float64      // [n], scratch
	centred blas64.General // [D][n], scratch
}

// all returns all rows, with weight 1.
func (r *rows) all() *part {
	centred := blas64.General{Rows: r.dim(), Cols: r.n, Stride: r.n, Data: make([]float64, r.dim()*r.n)}
	return &part{rows: *r, whole: r, weights: r.ones(), roots: make([]float64, r.n), centred: centred}
}

// some returns a part that can take rows.
func (r *rows) some() *part {
	p := r.all()
	p.columns, p.codes, p.gaps, p.gapOf = grid(r.dim(), r.n), nil, nil, nil
	for range r.codes {
		p.codes = append(p.codes, make([]int32, r.n))
	}
	return p
}

// take copies the members' rows and their weights u. All cells count as known.
func (p *part) take(members []int32, u []float64) {
	p.n = len(members)
	p.weights, p.centred.Cols = p.weights[:p.n], p.n
	for i, row := range members {
		p.weights[i] = u[row]
	}
	for q, codes := range p.whole.codes {
		p.codes[q] = p.codes[q][:p.n]
		for i, row := range members {
			p.codes[q][i] = codes[row]
		}
	}
	for d, column := range p.whole.columns {
		p.columns[d] = p.columns[d][:p.n]
		for i, row := range members {
			p.columns[d][i] = column[row]
		}
	}
}

// moments writes mean and scatter of the rows under weights, and returns the sum of weights.
func (p *part) moments(weights, mean, scatter []float64) (weight float64) {
	weight = floats.Sum(weights)
	roots := p.roots[:p.n]
	for i, w := range weights {
		roots[i] = math.Sqrt(w)
	}
	for d, column := range p.columns {
		mean[d] = floats.Dot(weights, column) / max(weight, math.SmallestNonzeroFloat64)
		centred := p.centred.Data[d*p.centred.Stride:][:p.n]
		for i, x := range column {
			centred[i] = roots[i] * (x - mean[d])
		}
	}
	clear(scatter)
	addProduct(scatter, 1, p.centred)
	return weight
}

// resolution is the assumed error of a cell, in scales of its column. Without it the density of equal rows is
// unbounded.
const resolution = 1e-4

func (p *part) summarize(s *summary, members []int32, u []float64) {
	p.take(members, u)
	s.n = float64(p.n)
	s.weight = p.moments(p.weights, s.mean, s.scatter)
	for d, dim := 0, len(s.mean); d < dim; d++ {
		s.scatter[d*dim+d] += s.weight * resolution * resolution
	}
	clear(s.counts)
	for q, codes := range p.codes {
		counts := s.counts[p.first[q]:]
		for _, level := range codes {
			if level >= 0 {
				counts[level]++
			}
		}
	}
}

// join writes the summary of the rows of a and b together.
func (s *summary) join(a, b *summary) {
	s.n, s.weight = a.n+b.n, a.weight+b.weight
	share, both := b.weight/s.weight, a.weight*b.weight/s.weight
	dim := len(s.mean)
	for d := range s.mean {
		delta := b.mean[d] - a.mean[d]
		s.mean[d] = a.mean[d] + share*delta
		for e := range d + 1 {
			i := d*dim + e
			s.scatter[i] = a.scatter[i] + b.scatter[i] + both*delta*(b.mean[e]-a.mean[e])
		}
	}
	floats.AddTo(s.counts, a.counts, b.counts)
}
