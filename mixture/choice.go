package mixture

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// lawChains is the number of short chains that weigh a law.
const lawChains = 3

// chooseLaw decides by evidence whether clusters of many columns share a shape, with its correlations, or have their
// own scales on the axes. Without the first law, clusters that are narrow along common oblique axes would be one.
func (e *encoder) chooseLaw(ctx context.Context, t Table, seed uint64) error {
	r := e.encode(e.evidenceRows(e.known(t)), true)
	if r.dim() <= fewColumns {
		return nil
	}
	weigh := func() float64 {
		return bestOf(lawChains, seed, func(chain int, rng random) float64 { return lawEvidence(ctx, r, 1+chain, rng) })
	}
	own := weigh()
	r.shared = true
	e.shared = weigh() > own+evidenceGain
	return ctx.Err()
}

// lawEvidence estimates the log evidence of rows under their law: the mean of log p(rows, labels | hyperparameters)
// over the draws of a short chain, with Schwarz's penalty for the shared shape. The value has no meaning if ctx ended.
func lawEvidence(ctx context.Context, r *rows, start int, rng random) float64 {
	labels, _ := newStart(r, start, rng)
	c := newChain(r, labels, gaussian, rng)
	c.gaussian = true
	sum, count, dim := 0.0, 0.0, float64(r.dim())
	for sweep := 0; sweep < evidenceSweeps && ctx.Err() == nil; sweep++ {
		c.sweep(sweep < evidenceSweeps/2)
		if sweep >= evidenceSweeps*5/8 {
			sum += c.logJoint
			count++
		}
	}
	if !c.law.scaled {
		return sum/count - 0.25*dim*(dim+1)*math.Log(float64(r.n))
	}
	return sum / count
}

// bestOf returns the largest evidence of count short chains, as a chain may stay at a worse mode.
func bestOf(count int, seed uint64, evidence func(chain int, rng random) float64) float64 {
	chains := make([]float64, count)
	var beside sync.WaitGroup
	for i := range chains {
		beside.Go(func() { chains[i] = evidence(i, newRandom(seed, math.MaxUint64-uint64(i))) })
	}
	beside.Wait()
	return slices.Max(chains)
}

// start sets the shared shape of a chain that begins, and expects clusters to be near it.
func (l *law) start(shape []float64) {
	const near = 512 // surplus
	copy(l.shared, shape)
	l.df = float64(len(l.centre)) + 1 + near
	l.refresh()
}

// withinShape returns the covariance within the clusters of labels [n], slightly enlarged.
func (r *rows) withinShape(labels []int32) []float64 {
	m := newTailedEM(r, int(slices.Max(labels))+1, math.Inf(1))
	return m.pooled(labels)
}

// assignByShape gives each row the label of the nearest of number clusters, by the covariance within them, several
// times: the clusters become narrow where all of them can be.
func (r *rows) assignByShape(number int, labels []int32) {
	const steps = 12
	m := newTailedEM(r, number, math.Inf(1))
	for range steps {
		shape := m.pooled(labels)
		for k := range m.components {
			copy(m.covariance[k], shape)
			m.setFactor(k)
			m.components[k].distances(m.gather.columns, 0, m.distances[k])
		}
		for i := range labels {
			for k := range m.components {
				if m.sizes[k] > 0 && m.distances[k][i] < m.distances[labels[i]][i] {
					labels[i] = int32(k)
				}
			}
		}
	}
}

// pooled sets the means of components to those of the rows with their labels, and returns the covariance within.
func (m *em) pooled(labels []int32) []float64 {
	const wider, floor = 1.01, 1e-4
	dim := m.rows.dim()
	shape, total := make([]float64, dim*dim), 0.0
	for k := range m.components {
		m.weights = m.weights[:len(labels)]
		for i, label := range labels {
			m.weights[i] = 0
			if int(label) == k {
				m.weights[i] = m.gather.weights[i]
			}
		}
		m.sizes[k] = m.gather.moments(m.weights, m.components[k].mean, m.covariance[k])
		floats.Add(shape, m.covariance[k])
		total += m.sizes[k]
	}
	floats.Scale(1/total, shape)
	for d := range dim {
		shape[d*dim+d] = wider*shape[d*dim+d] + floor
	}
	return shape
}
