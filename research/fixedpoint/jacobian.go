package main

import "gonum.org/v1/gonum/mat"

// jacobian writes the derivatives of field at the energies last given to it into dst.
func (l *tabularLoss) jacobian(dst *mat.Dense, e []float64) {
	dst.Zero()
	w := l.weights()
	for i, d := range l.decisions {
		if w.gauge != 0 && !d.last {
			state := d.slots[l.lowest[i]]
			add(dst, state, state, 2*w.gauge*d.total)
		}
		l.addCurvature(dst, i, w.likelihood*d.total)
	}
	for p, state := range l.final {
		add(dst, state, state, 2*w.delta*l.law[p])
	}
	if w.lambda != 0 {
		l.addSampling(dst, w.lambda)
	}
	for _, m := range l.meetings {
		l.addGap(dst, m, l.outFlow(m, e), l.inFlow(m, e), 2*w.balance*m.weight)
	}
}

func add(dst *mat.Dense, i, j int, v float64) { dst.Set(i, j, dst.At(i, j)+v) }

// addCurvature adds weight times the second derivatives of a decision's logsumexp(−E): diag(p) − p·pᵀ.
func (l *tabularLoss) addCurvature(dst *mat.Dense, decision int, weight float64) {
	slots, policy := l.decisions[decision].slots, l.policy[decision]
	for k, p := range policy {
		add(dst, slots[k], slots[k], weight*p)
		for j, q := range policy {
			add(dst, slots[k], slots[j], -weight*p*q)
		}
	}
}

// addGap adds weight times half the second derivatives of a squared gap; the clamp f has f" = f'·(1 − f').
func (l *tabularLoss) addGap(dst *mat.Dense, m meeting, out, in logFlow, weight float64) {
	both := out.slopes
	for _, s := range in.slopes {
		both = append(both, slope{s.state, -s.by})
	}
	addOuter(dst, both, weight)
	gap := weight * (out.value - in.value)
	l.addCurvature(dst, m.after, gap*out.unclamped)
	if l.config.MCEpsilon > 0 {
		addOuter(dst, out.slopes, gap*(1-out.unclamped)/out.unclamped)
		addOuter(dst, in.slopes, -gap*(1-in.unclamped)/in.unclamped)
	}
}

// addOuter adds weight·s·sᵀ.
func addOuter(dst *mat.Dense, s []slope, weight float64) {
	for _, a := range s {
		for _, b := range s {
			add(dst, a.state, b.state, weight*a.by*b.by)
		}
	}
}

// addSampling adds −λ times the derivatives of the model's law: each final energy has the row of its partition.
func (l *tabularLoss) addSampling(dst *mat.Dense, lambda float64) {
	size, reach := len(l.place), l.reached()
	by := mat.NewDense(len(l.decisions), size, nil) // of reach
	for _, m := range l.meetings {
		if m.before < 0 {
			continue
		}
		row, p := by.RawRowView(m.after), l.policy[m.before]
		for j, v := range by.RawRowView(m.before) {
			row[j] += m.share * p[m.slot] * v
		}
		for k, state := range l.decisions[m.before].slots {
			row[state] += m.share * reach[m.before] * policySlope(p, m.slot, k)
		}
	}
	for i, d := range l.decisions {
		for k, final := range d.slots {
			if !d.last {
				break
			}
			for j, v := range by.RawRowView(i) {
				add(dst, final, j, -lambda*l.policy[i][k]*v)
			}
			for j, state := range d.slots {
				add(dst, final, state, -lambda*reach[i]*policySlope(l.policy[i], k, j))
			}
		}
	}
}

// policySlope is the derivative of the probability of slot k by the energy of slot j.
func policySlope(policy []float64, k, j int) float64 {
	if k == j {
		return -policy[k] * (1 - policy[k])
	}
	return policy[k] * policy[j]
}
