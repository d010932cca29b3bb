package mixture

import (
	"fmt"
	"math"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
)

// sevenRows are four rows near one another and three further right, with one category of three levels if asked for.
func sevenRows(categories bool) *em.Rows {
	rng := em.NewRandom(3, 0)
	r := &em.Rows{N: 7, Columns: [][]float64{make([]float64, 7), make([]float64, 7)}, First: []int{0}}
	for i := range 7 {
		r.Columns[0][i], r.Columns[1][i] = .3*rng.NormFloat64(), .3*rng.NormFloat64()
		if i >= 4 {
			r.Columns[0][i] += 1.2
			r.Columns[1][i] += .3
		}
	}
	if categories {
		r.Codes, r.First = [][]int32{{0, 0, 1, -1, 2, 2, 1}}, []int{0, 3}
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

// byEnumeration returns P(K) and co-clustering of the chain's rows under its hyperparameters, with u = 1. The log
// marginals of sets of rows, by their bits, are taken from marginals and kept there.
func byEnumeration(c *chain, marginals map[int]float64) (number []float64, together [][]float64) {
	n := c.rows.N
	number, together = make([]float64, n+1), make([][]float64, n)
	for i := range together {
		together[i] = make([]float64, n)
	}
	total := 0.0
	partitions(n, func(labels []int32, t int) {
		if !c.known.allows(labels, t) {
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
			k.N = float64(len(k.members))
			if _, known := marginals[set]; !known {
				c.gather.Summarize(&k.Summary, k.members, c.scales)
				marginals[set] = c.meanMarginal(&k.Summary, set)
			}
			log += marginals[set]
		}
		c.partition.begin(c.alpha, c.clusters)
		p := math.Exp(log + c.partition.log(t))
		total += p
		number[t] += p
		addPairs(together, labels, p)
	})
	floats.Scale(1/total, number)
	for i := range together {
		floats.Scale(1/total, together[i])
	}
	return number, together
}

// meanMarginal is the log marginal likelihood, with the estimates by draws of scales averaged. Its draws are those of
// the seed: the chain's go on as if there were none.
func (c *chain) meanMarginal(s *em.Summary, seed int) float64 {
	const draws = 3000
	if !c.law.scaled {
		return c.law.logMarginal(s)
	}
	chains := c.law.rng
	defer func() { c.law.rng = chains }()
	c.law.rng = em.NewRandom(4, uint64(seed))
	logs := make([]float64, draws)
	for i := range logs {
		logs[i] = c.law.estimate(s)
	}
	return floats.LogSumExp(logs) - math.Log(draws)
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
	for _, scaled := range []bool{false, true} {
		for _, categories := range []bool{false, true} {
			t.Run(fmt.Sprintf("scaled %v categories %v", scaled, categories), func(t *testing.T) {
				if scaled != categories {
					short.Skip(t, "is much like the others")
				}
				r := sevenRows(categories)
				c := newChain(r, &knowledge{}, make([]int32, r.N), gaussian, em.NewRandom(11, 0))
				c.held, c.law.scaled = true, scaled
				demandEnumerated(t, c, map[int]float64{}, 5000)
			})
		}
	}
}

// demandEnumerated compares P(K) and co-clustering of some sweeps with the enumeration: each probability within 4.5
// standard errors, by its effective draws. Marginals are those of byEnumeration.
func demandEnumerated(t *testing.T, c *chain, marginals map[int]float64, sweeps int) {
	t.Helper()
	const errors, enumeration = 4.5, 0.001 // of the enumeration itself, whose marginals with scales are means
	number, together := byEnumeration(c, marginals)
	copy(c.labels, make([]int32, c.rows.N))
	c.known.mend(c.labels)
	c.list()
	var names []string
	var want []float64
	for k := 1; k < len(number); k++ {
		names, want = append(names, fmt.Sprintf("P(%d)", k)), append(want, number[k])
	}
	for i := range c.labels {
		for j := range i {
			names, want = append(names, fmt.Sprintf("together %d %d", j+1, i+1)), append(want, together[i][j])
		}
	}
	got := make([][]float64, len(want))
	for at := range got {
		got[at] = make([]float64, sweeps)
	}
	for sweep := range sweeps {
		c.sweep(false)
		got[len(c.clusters)-1][sweep] = 1
		at := len(number) - 1
		for i, a := range c.labels {
			for _, b := range c.labels[:i] {
				if a == b {
					got[at][sweep] = 1
				}
				at++
			}
		}
	}
	farthest, variation := 0.0, 0.0
	for at, p := range want {
		draws := must.M1(metrics.EffectiveSize(got[at : at+1]))
		mean, _ := metrics.Summary(got[at])
		if at < len(number)-1 {
			variation += 0.5 * math.Abs(mean-p)
		}
		z := math.Abs(mean-p) / math.Sqrt((max(p*(1-p), 0)+1/draws)/draws+enumeration*enumeration)
		if farthest = max(farthest, z); z > errors {
			t.Errorf("%s is %.4f, enumerated %.4f: %.1f errors of %.0f draws", names[at], mean, p, z, draws)
		}
	}
	t.Logf("TV of P(K) %.4f, farthest %.1f standard errors", variation, farthest)
}
