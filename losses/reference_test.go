package losses_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// The reference: the paper's formulas in float64 by plain loops over energies, sharing no code with the graphs.

// energies are what the losses of one set need.
type energies struct {
	table           [][]float64 // [N][K_n+1]
	labels          []int32
	final, negative float64
	free            bool // flows are exp(−E), not the paper's
}

// energies are those of each set, as the network hands them out (package models compares them with the paper's form).
func (p *problem) energies() []energies {
	network := must.M1(models.NewNetwork(enginetest.Go(), p.config, p.params))
	tables := must.M1(network.Tables(p.x, p.labels, p.b, p.n))
	others := must.M1(network.Tables(p.x, p.negative, p.b, p.n))
	sets := make([]energies, p.b)
	for i := range sets {
		_, labels, negative := p.set(i)
		last := p.n - 1
		sets[i] = energies{
			table: tables[i], labels: labels,
			final: tables[i][last][labels[last]], negative: others[i][last][negative[last]],
		}
	}
	return sets
}

// hat is Ê[c_{1:n}, k] of point n (from 1), slot k: 0 for the first point, E above the row's minimum before the last.
func (e energies) hat(n, k int) float64 {
	row := e.table[n-1]
	switch n {
	case 1:
		return 0
	case len(e.table):
		return row[k]
	}
	if e.free {
		return row[k]
	}
	return row[k] - slices.Min(row)
}

func (e energies) mc(epsilon float64) (sum float64) {
	for n := 2; n <= len(e.table); n++ {
		sum += math.Pow(e.marginalGap(n, epsilon), 2)
	}
	return sum
}

// marginalGap is the logarithm of the flow out of a state of n−1 points less that of the flow into it.
func (e energies) marginalGap(n int, epsilon float64) float64 {
	out := 0.0
	for k := range e.table[n-1] {
		out += math.Exp(-e.hat(n, k))
	}
	return math.Log(epsilon+out) - math.Log(epsilon+math.Exp(-e.hat(n-1, int(e.labels[n-2]))))
}

func (e energies) nll() (sum float64) {
	for n := 2; n <= len(e.table); n++ {
		sum -= e.logPolicy(n)
	}
	return sum
}

// gauge is the sum of the squared lowest energies of the points 2..N−1.
func (e energies) gauge() (sum float64) {
	for n := 2; n < len(e.table); n++ {
		sum += math.Pow(slices.Min(e.table[n-1]), 2)
	}
	return sum
}

// logPolicy is log P_F of point n's own label (n from 1).
func (e energies) logPolicy(n int) float64 {
	total := 0.0
	for _, v := range e.table[n-1] {
		total += math.Exp(-v)
	}
	return -e.table[n-1][e.labels[n-1]] - math.Log(total)
}

// gaps are the differences of detailed balance of the decisions n = 2..N.
func (e energies) gaps() (gaps []float64) {
	logFlow := func(n int) float64 { return -e.hat(n, int(e.labels[n-1])) }
	for n := 2; n <= len(e.table); n++ {
		gaps = append(gaps, logFlow(n-1)+e.logPolicy(n)-logFlow(n))
	}
	return gaps
}

func (e energies) db() (sum float64) {
	for _, gap := range e.gaps() {
		sum += gap * gap
	}
	return sum
}

// tb compares the whole trajectory's probability with its reward exp(−E[c_{1:N}]).
func (e energies) tb() float64 {
	return math.Pow(e.final-e.nll(), 2)
}

// subtb sums over all pieces of the trajectory, each added up by itself.
func (e energies) subtb(lambda float64) float64 {
	gaps := e.gaps()
	sum, weights := 0.0, 0.0
	for from := range gaps {
		weights += math.Pow(lambda, float64(from+1))
		for to := from; to < len(gaps); to++ {
			piece := 0.0
			for _, gap := range gaps[from : to+1] {
				piece += gap
			}
			sum += math.Pow(lambda, float64(to-from+1)) * piece * piece
		}
	}
	return sum / weights
}

// balance is the loss that a config asks balanced flows by.
func (e energies) balance(c losses.Config) float64 {
	switch c.Balance {
	case losses.DB:
		return e.db()
	case losses.TB:
		return e.tb()
	case losses.SubTB:
		return e.subtb(cmp.Or(c.SubTBLambda, 0.9))
	}
	return e.mc(c.MCEpsilon)
}

// terms are losses.Terms on the host.
type terms struct{ loss, mc, cd, reg, nll float64 }

// objective is the batch mean of the combined objective.
func objective(c losses.Config, step string, sets []energies) terms {
	var t terms
	var gauge, balance float64
	for _, e := range sets {
		e.free = c.Flows == losses.FlowsFree
		scale := 1 / float64(len(sets))
		if c.Normalize == losses.PerStep {
			scale /= float64(len(e.labels))
		}
		t.nll += scale * e.nll()
		if step == losses.LikelihoodStep {
			continue
		}
		t.mc += scale * e.mc(c.MCEpsilon)
		balance += scale * e.balance(c)
		t.reg += scale * e.final * e.final
		gauge += scale * e.gauge()
		if step == losses.DataStep {
			t.cd += scale * (e.final - e.negative)
		}
	}
	balance *= cmp.Or(c.BalanceWeight, 1)
	switch step {
	case losses.DataStep:
		t.loss = balance + c.Delta*t.reg + c.Gauge*gauge + c.Lambda*t.cd + c.NLLWeight*t.nll
	case losses.ExplorationStep:
		t.loss = balance + c.Delta*t.reg + c.Gauge*gauge
	case losses.LikelihoodStep:
		t.loss = t.nll
	case losses.WarmupStep:
		t.loss = t.nll + c.Delta*t.reg + c.Gauge*gauge
	}
	return t
}
