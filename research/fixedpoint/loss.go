package main

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/losses"
)

// tabularLoss is an objective of package losses where the energy of every state is a free number: the gradient of its
// expectation over the data's labels and over the orders. It is not for concurrent use.
//
// Contrastive divergence is the gradient of no function: λ·(law − policy) by the final energies, 0 by all others.
type tabularLoss struct {
	*states
	config losses.Config
	kind   string // losses.DataStep or losses.LikelihoodStep

	lowest []int       // of each decision: its slot of lowest energy
	lse    []float64   // of each decision: logsumexp_k(−E)
	policy [][]float64 // of each decision: softmax(−E)
}

func newTabularLoss(s *states, kind string, c losses.Config) *tabularLoss {
	l := &tabularLoss{states: s, kind: kind, config: c}
	l.lse, l.lowest = make([]float64, len(s.decisions)), make([]int, len(s.decisions))
	for _, d := range s.decisions {
		l.policy = append(l.policy, make([]float64, len(d.slots)))
	}
	return l
}

// set computes the values that all terms share, given the energies of all states.
func (l *tabularLoss) set(e []float64) {
	for i, d := range l.decisions {
		p := l.policy[i]
		for k, state := range d.slots {
			p[k] = -e[state]
		}
		l.lowest[i] = floats.MaxIdx(p)
		l.lse[i] = floats.LogSumExp(p)
		for k := range p {
			p[k] = math.Exp(p[k] - l.lse[i])
		}
	}
}

// termWeights are the weights of the terms in the loss.
type termWeights struct{ balance, gauge, delta, lambda, likelihood float64 }

func (l *tabularLoss) weights() termWeights {
	scale := 1.0
	if l.config.Normalize == losses.PerStep {
		scale /= float64(len(l.exact.Labels[0]))
	}
	if l.kind == losses.LikelihoodStep {
		return termWeights{likelihood: scale}
	}
	return termWeights{
		balance: scale * cmp.Or(l.config.BalanceWeight, 1), gauge: scale * l.config.Gauge,
		delta: scale * l.config.Delta, lambda: scale * l.config.Lambda,
		likelihood: scale * l.config.NLLWeight,
	}
}

// field writes the gradient at the energies of all states into dst, with the samples of their policy.
func (l *tabularLoss) field(dst, e []float64) {
	l.set(e)
	clear(dst)
	w, sampled := l.weights(), l.reached()
	for i, d := range l.decisions {
		if w.gauge != 0 && !d.last {
			state := d.slots[l.lowest[i]]
			dst[state] += 2 * w.gauge * d.total * e[state]
		}
		for k, state := range d.slots {
			dst[state] += w.likelihood * (d.weight[k] - d.total*l.policy[i][k])
			if d.last {
				dst[state] -= w.lambda * sampled[i] * l.policy[i][k]
			}
		}
	}
	for p, state := range l.final {
		dst[state] += l.law[p] * (2*w.delta*e[state] + w.lambda)
	}
	l.consistency(e, dst, w.balance)
}

// consistency returns MC and adds weight times its gradient.
func (l *tabularLoss) consistency(e, gradient []float64, weight float64) (sum float64) {
	for _, m := range l.meetings {
		out, outSlope := l.clamped(l.logFlow(m.after, -1, e))
		in, inSlope := l.clamped(l.logFlow(m.before, m.slot, e))
		gap := out - in
		sum += m.weight * gap * gap
		by := 2 * weight * m.weight * gap
		l.addSlopes(gradient, m.after, -1, by*outSlope)
		l.addSlopes(gradient, m.before, m.slot, -by*inSlope)
	}
	return sum
}

// logFlow is log F of a slot of a decision, or with slot −1 of all of them: F = exp(−E) each, or exp(−(E − min E)) if
// the decision is not the last and flows are not free. The flow into the decision about the second point (−1) is 1.
func (l *tabularLoss) logFlow(d, slot int, e []float64) float64 {
	if d < 0 {
		return 0
	}
	value, slots := l.lse[d], l.decisions[d].slots
	if slot >= 0 {
		value = -e[slots[slot]]
	}
	if l.isRelative(d) {
		value += e[slots[l.lowest[d]]]
	}
	return value
}

// addSlopes adds by times the derivatives of logFlow.
func (l *tabularLoss) addSlopes(gradient []float64, d, slot int, by float64) {
	if d < 0 {
		return
	}
	for k, state := range l.decisions[d].slots {
		if slot < 0 {
			gradient[state] -= by * l.policy[d][k]
		} else if k == slot {
			gradient[state] -= by
		}
		if l.isRelative(d) && k == l.lowest[d] {
			gradient[state] += by
		}
	}
}

func (l *tabularLoss) isRelative(d int) bool {
	return !l.decisions[d].last && l.config.Flows != losses.FlowsFree
}

// clamped returns log(ε + F) and its derivative by log F: ε is the clamp of losses.Config.MCEpsilon.
func (l *tabularLoss) clamped(logFlow float64) (value, slope float64) {
	floor := math.Log(l.config.MCEpsilon)
	return max(logFlow, floor) + math.Log1p(math.Exp(-math.Abs(logFlow-floor))), 1 / (1 + math.Exp(floor-logFlow))
}

// reached returns how often the policy of the last set energies makes each decision, as a mean over the orders.
func (l *tabularLoss) reached() []float64 {
	reach := make([]float64, len(l.decisions))
	for _, m := range l.meetings {
		way := m.share
		if m.before >= 0 {
			way *= reach[m.before] * l.policy[m.before][m.slot]
		}
		reach[m.after] += way
	}
	return reach
}

// modelLaw is the probability [P] of each partition under the policy of the energies last set, a mean over the orders.
func (l *tabularLoss) modelLaw() []float64 {
	byState := make([]float64, len(l.place))
	reach := l.reached()
	for i, d := range l.decisions {
		for k, state := range d.slots {
			byState[state] += reach[i] * l.policy[i][k]
		}
	}
	law := make([]float64, len(l.law))
	for p, state := range l.final {
		law[p] = byState[state]
	}
	return law
}
