package losses_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The laws of detailed, trajectory and sub-trajectory balance, on the references that the graphs are compared with.

// Detailed balance is marginal consistency, decision by decision, with ties as well: P_F is the softmax of the energies
// that the flows are made of.
func TestDetailedBalanceIsMarginalConsistency(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 0))
	for n := 2; n < 11; n++ {
		e := energies{}
		e.table, e.labels = randomTable(rng, n, 2)
		for i, gap := range e.gaps() {
			if want := e.marginalGap(i+2, 0); gap == 0 || !(math.Abs(gap+want) <= 1e-12) {
				t.Errorf("N=%d, decision %d: the gap is %g, that of marginal consistency %g", n, i+2, gap, want)
			}
		}
	}
}

// Free flows are −log p(c_{1:n}|x) of any policy, however uncertain its decisions are: there every balance loss is
// zero. The paper's flows do not match, unless every decision is certain, except for TB, which has the final flow
// alone. Any other energies break the balance.
func TestFreeFlowsMatchAtTheLogProbability(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 0))
	for n := 3; n < 8; n++ {
		raw, labels := randomTable(rng, n, 1)
		policy := energies{table: raw, labels: labels}
		table, before := shifted(raw, 0, 0, 0), 0.0
		for i := 1; i < n; i++ {
			total := 0.0
			for _, v := range raw[i] {
				total += math.Exp(-v)
			}
			for k := range table[i] {
				table[i][k] += math.Log(total) - before
			}
			before += policy.logPolicy(i + 1)
		}
		e := energies{table: table, labels: labels, final: table[n-1][labels[n-1]], free: true}
		of := func(e energies) map[string]float64 {
			return map[string]float64{"MC": e.mc(0), "DB": e.db(), "SubTB": e.subtb(0.9)}
		}
		free := of(e)
		free["TB"] = e.tb()
		table[1][labels[1]] += 0.5
		broken := of(e)
		broken["TB"] = e.tb()
		table[1][labels[1]] -= 0.5
		e.free = false
		for name, value := range free {
			assertClose(t, name+" of free flows", value, 0, 1e-12, 1)
			if broken[name] < 1e-3 {
				t.Errorf("N=%d: %s = %v on free flows that do not match", n, name, broken[name])
			}
		}
		for name, value := range of(e) {
			if value < 1e-2 {
				t.Errorf("N=%d: %s of the paper's flows = %v at uncertain decisions", n, name, value)
			}
		}
	}
}
