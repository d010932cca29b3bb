package mixture

import (
	"fmt"
	"math"
	"testing"
)

// sevenRows are four rows near one another and three further right, with one category of three levels if asked for.
func sevenRows(categories bool) *rows {
	rng := newRandom(3, 0)
	r := &rows{n: 7, columns: [][]float64{make([]float64, 7), make([]float64, 7)}, first: []int{0}}
	for i := range 7 {
		r.columns[0][i], r.columns[1][i] = .3*rng.NormFloat64(), .3*rng.NormFloat64()
		if i >= 4 {
			r.columns[0][i] += 1.2
			r.columns[1][i] += .3
		}
	}
	if categories {
		r.codes, r.first = [][]int32{{0, 0, 1, -1, 2, 2, 1}}, []int{0, 3}
	}
	return r
}

// partitions calls yield with every partition of n rows, in canonical form.
func partitions(n int, yield func(labels []int32, t int)) {
	labels := make([]int32, n)
	var extend func(at int, t int32)
	extend = func(at int, t int32) {
		if at == n {
			yield(labels, int(t))
			return
		}
		for k := range t + 1 {
			labels[at] = k
			extend(at+1, max(t, k+1))
		}
	}
	extend(0, 0)
}

// byEnumeration returns P(K) and co-clustering of the chain's rows under its hyperparameters, with u = 1.
func byEnumeration(c *chain) (number []float64, together [][]float64) {
	n := c.rows.n
	number, together = make([]float64, n+1), make([][]float64, n)
	for i := range together {
		together[i] = make([]float64, n)
	}
	total, marginals := 0.0, map[int]float64{}
	partitions(n, func(labels []int32, t int) {
		if c.rows.known != nil && !c.rows.known.allows(labels, t) {
			return
		}
		copy(c.labels, labels)
		c.list()
		log := 0.0
		for _, k := range c.clusters {
			set := 0
			for _, row := range k.members {
				set |= 1 << row
			}
			c.gather.summarize(&k.summary, k.members, c.scales)
			if _, known := marginals[set]; !known {
				marginals[set] = c.meanMarginal(&k.summary)
			}
			log += marginals[set]
		}
		c.partition.begin(c.alpha, c.clusters)
		p := math.Exp(log + c.partition.log(t))
		total += p
		number[t] += p
		addPairs(together, labels, p)
	})
	scale(number, 1/total)
	for i := range together {
		scale(together[i], 1/total)
	}
	return number, together
}

// meanMarginal is the log marginal likelihood, with the estimates of the family own averaged.
func (c *chain) meanMarginal(s *summary) float64 {
	const draws = 2000
	if math.IsInf(c.law.logFamily[own], -1) {
		return c.law.logMarginal(s)
	}
	logs := make([]float64, draws)
	for i := range logs {
		logs[i] = c.law.estimate(s)
	}
	return logSumExp(logs) - math.Log(draws)
}

func scale(values []float64, factor float64) {
	for i := range values {
		values[i] *= factor
	}
}

func addPairs(together [][]float64, labels []int32, p float64) {
	for i, a := range labels {
		for j, b := range labels {
			if a == b {
				together[i][j] += p
			}
		}
	}
}

// P(K) and co-clustering of a chain agree with the enumeration of all partitions, hyperparameters held.
func TestEnumeration(t *testing.T) {
	for family := range families + 1 {
		for _, categories := range []bool{false, true} {
			if !categories && family < families {
				continue
			}
			t.Run(fmt.Sprintf("family %d categories %v", family, categories), func(t *testing.T) {
				testEnumeration(t, family, sevenRows(categories))
			})
		}
	}
}

func testEnumeration(t *testing.T, family int, r *rows) {
	c := newChain(r, numberPrior(), make([]int32, r.n), gaussian, newRandom(11, uint64(family)))
	c.held = true
	for f := range c.law.logFamily { // own in few columns too
		c.law.logFamily[f] = -math.Log(families)
		if family < families {
			c.law.logFamily[f] = math.Inf(-1)
		}
	}
	if family < families {
		c.law.logFamily[family] = 0
	}
	if variation, largest := compareWithEnumeration(t, c, 10_000); variation > 0.02 || largest > 0.02 {
		t.Errorf("P(K) differs by %.4f, co-clustering by %.4f", variation, largest)
	}
}

// compareWithEnumeration returns the total variation between the P(K) of some sweeps and of the enumeration, and the
// largest difference of two rows' probability to be together.
func compareWithEnumeration(t *testing.T, c *chain, sweeps int) (variation, largest float64) {
	number, together := byEnumeration(c)
	copy(c.labels, make([]int32, c.rows.n))
	if c.rows.known != nil {
		c.rows.known.mend(c.labels)
	}
	c.list()
	share := 1 / float64(sweeps)
	got, pairs := make([]float64, c.rows.n+1), make([][]float64, c.rows.n)
	for i := range pairs {
		pairs[i] = make([]float64, c.rows.n)
	}
	for range sweeps {
		c.sweep(false)
		got[len(c.clusters)] += share
		addPairs(pairs, c.labels, share)
	}
	for k := range number {
		variation += 0.5 * math.Abs(number[k]-got[k])
	}
	for i := range pairs {
		for j := range pairs {
			largest = max(largest, math.Abs(pairs[i][j]-together[i][j]))
		}
	}
	t.Logf("P(K) %.4f, enumerated %.4f: TV %.4f, co-clustering %.4f", got[1:5], number[1:5], variation, largest)
	return variation, largest
}
