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
		out, in := l.flow(m.after, -1, e), l.flow(m.before, m.slot, e)
		gap := out.value - in.value
		sum += m.weight * gap * gap
		for _, s := range out.slopes {
			gradient[s.state] += 2 * weight * m.weight * gap * s.by
		}
		for _, s := range in.slopes {
			gradient[s.state] -= 2 * weight * m.weight * gap * s.by
		}
	}
	return sum
}

// logFlow is log(ε + F) of a flow F: ε is the clamp of losses.Config.MCEpsilon.
type logFlow struct {
	value  float64
	slopes []slope // derivatives of value by the energies
}

type slope struct {
	state int
	by    float64
}

// flow is the flow of a slot of a decision, or with slot −1 of all of them: exp(−E) each, or exp(−(E − min E)) if the
// decision is not the last and flows are not free. The flow into the decision about the second point (−1) is 1.
func (l *tabularLoss) flow(d, slot int, e []float64) logFlow {
	if d < 0 {
		return l.clamped(0, nil)
	}
	slots, value := l.decisions[d].slots, l.lse[d]
	slopes := make([]slope, 0, len(slots)+1)
	if slot >= 0 {
		value, slopes = -e[slots[slot]], append(slopes, slope{slots[slot], -1})
	} else {
		for k, p := range l.policy[d] {
			slopes = append(slopes, slope{slots[k], -p})
		}
	}
	if !l.decisions[d].last && l.config.Flows != losses.FlowsFree {
		lowest := slots[l.lowest[d]]
		value += e[lowest]
		slopes = append(slopes, slope{lowest, 1})
	}
	return l.clamped(value, slopes)
}

func (l *tabularLoss) clamped(value float64, slopes []slope) logFlow {
	if l.config.MCEpsilon == 0 {
		return logFlow{value, slopes}
	}
	floor := math.Log(l.config.MCEpsilon)
	unclamped := 1 / (1 + math.Exp(floor-value)) // the derivative by log F
	for i := range slopes {
		slopes[i].by *= unclamped
	}
	return logFlow{max(value, floor) + math.Log1p(math.Exp(-math.Abs(value-floor))), slopes}
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
