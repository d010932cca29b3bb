package mixture

import (
	"context"
	"math"
	"slices"
)

// choose decides by evidence which columns carry no clusters, and of which of the others logarithms are taken.
func (e *encoder) choose(ctx context.Context, t Table, seed uint64) error {
	if e.projection != nil {
		return nil
	}
	t = e.known(t)
	if err := e.chooseNoise(ctx, t, seed); err != nil {
		return err
	}
	return e.chooseLogs(ctx, t, seed)
}

// variables counts what the encoder has: numbers, then indicators, then categories.
func (e *encoder) variables() int { return len(e.numbers) + len(e.indicators) + len(e.categories) }

// only returns an encoder of some of the variables, with numbers of its own.
func (e *encoder) only(keep func(variable int) bool) *encoder {
	out := &encoder{sentinels: e.sentinels, categories: make([]int, len(e.categories))}
	for i, n := range e.numbers {
		if keep(i) {
			out.numbers = append(out.numbers, n)
		}
	}
	for i, variable := range e.indicators {
		if keep(len(e.numbers) + i) {
			out.indicators = append(out.indicators, variable)
		}
	}
	for i, levels := range e.categories {
		if keep(len(e.numbers) + len(e.indicators) + i) {
			out.categories[i] = levels
		}
	}
	return out
}

// chooseNoise sets apart the variables that are independent of all others, have one hump, and for which the evidence
// is larger beside the mixture, each with a mixture of its own, than within it: all of them or none, and then one by
// one. If nothing is left, all stay, as normal scores: their own shapes are no clusters.
func (e *encoder) chooseNoise(ctx context.Context, t Table, seed uint64) error {
	w := weighing{ctx: ctx, part: t.spaced(e.evidenceRows()), seed: seed, alone: make([]float64, e.variables())}
	var candidates []int
	for _, v := range e.independent(t) {
		humps, err := w.weighAlone(e, v)
		switch {
		case err != nil:
			return err
		case humps:
		case v < len(e.numbers) && e.numbers[v].keys:
			w.apart = append(w.apart, v)
		default:
			candidates = append(candidates, v)
		}
	}
	if len(candidates) > 0 {
		var err error
		if w.rest, err = w.without(e); err != nil {
			return err
		}
		all, err := w.try(e, candidates)
		if err != nil {
			return err
		}
		if !all && len(candidates) > 1 && len(candidates) <= mostFlips && len(e.numbers) <= mostToFlip {
			for _, v := range candidates {
				if _, err := w.try(e, []int{v}); err != nil {
					return err
				}
			}
		}
	}
	e.setApart(t, w.apart)
	return nil
}

// weighing is the state of chooseNoise.
type weighing struct {
	ctx   context.Context
	part  Table
	seed  uint64
	alone []float64 // evidence of each variable alone, where known
	apart []int     // variables
	rest  float64   // evidence of the others
}

// try sets variables apart if that gains.
func (w *weighing) try(e *encoder, variables []int) (gains bool, err error) {
	rest, err := w.without(e, variables...)
	if err != nil {
		return false, err
	}
	sum := rest
	for _, v := range variables {
		sum += w.alone[v]
	}
	if sum <= w.rest {
		return false, nil
	}
	w.rest, w.apart = rest, append(w.apart, variables...)
	return true, nil
}

// without is the evidence of what is neither apart nor among the variables.
func (w *weighing) without(e *encoder, variables ...int) (float64, error) {
	rest := e.only(func(v int) bool { return !slices.Contains(w.apart, v) && !slices.Contains(variables, v) })
	if rest.empty() {
		return 0, nil
	}
	return rest.evidence(w.ctx, w.part, w.seed, nil)
}

// weighAlone finds the evidence of one variable alone, with its logarithm where that gains, and whether it has several
// humps.
func (w *weighing) weighAlone(e *encoder, v int) (several bool, err error) {
	own := e.only(func(other int) bool { return other == v })
	var sum humps
	if w.alone[v], err = own.evidence(w.ctx, w.part, w.seed, sum.add); err != nil || v >= len(e.numbers) {
		return false, err
	}
	n := &e.numbers[v]
	if n.skewed {
		log := &own.numbers[0]
		log.log = true
		log.fitScale(log.numbersOf(w.part))
		var logSum humps
		logs, err := own.evidence(w.ctx, w.part, w.seed, logSum.add)
		if err != nil {
			return false, err
		}
		if logs-w.alone[v] > evidenceGain {
			w.alone[v], sum, *n = logs, logSum, *log
		}
	}
	return !n.few && sum.several() || bimodal(n.encode(w.part, true)), nil
}

func (e *encoder) empty() bool {
	return len(e.numbers)+len(e.indicators)+slices.Max(append(e.categories, 0)) == 0
}

// setApart removes variables. If these are all, they stay as normal scores.
func (e *encoder) setApart(t Table, apart []int) {
	for i := range e.numbers {
		n := &e.numbers[i]
		switch {
		case !slices.Contains(apart, i):
			if n.log { // chooseLogs decides
				n.log = false
				n.fitScale(n.numbersOf(t))
			}
		case n.keys:
			e.uses[n.column] = Key
		default:
			e.uses[n.column] = NoClusters
		}
	}
	for i, variable := range e.indicators {
		for _, c := range variable {
			if slices.Contains(apart, len(e.numbers)+i) && !c.rest {
				e.uses[c.column] = NoClusters
			}
		}
	}
	for i := range e.categories {
		if slices.Contains(apart, len(e.numbers)+len(e.indicators)+i) {
			e.uses[len(e.uses)-len(e.categories)+i] = NoClusters
		}
	}
	rest := e.only(func(v int) bool { return !slices.Contains(apart, v) })
	if !rest.empty() {
		e.numbers, e.indicators, e.categories = rest.numbers, rest.indicators, rest.categories
		return
	}
	for i := range e.numbers {
		n := &e.numbers[i]
		n.log, n.skewed, n.knots = false, false, knotsOf(n.jittered(t))
		n.fitScale(n.numbersOf(t))
	}
}

// humps sums a density of one column over draws.
type humps [200]float64

const humpRange = 5 // scales on both sides of the median

func (h *humps) add(c *chain) {
	if c.rows.dim() == 0 {
		return
	}
	law := &c.tails[c.tail][1]
	for i := range h {
		x := 2*humpRange*(float64(i)+0.5)/float64(len(h)) - humpRange
		for k := range c.number {
			component := &c.components[k]
			distance := (x - component.mean[0]) * component.factor[0]
			h[i] += math.Exp(component.logWeight + component.halfLog + law.log(distance*distance))
		}
	}
}

// several tells whether a deep valley lies between two humps that both hold some of the mass.
func (h *humps) several() bool {
	const deep, least = 0.1, 0.01
	total := 0.0
	for _, v := range h {
		total += v
	}
	left := 0.0
	for i, level := range h {
		if min(left, total-left) > least*total && level < deep*min(slices.Max(h[:i]), slices.Max(h[i+1:])) {
			return true
		}
		left += level
	}
	return false
}

// bimodal tells whether a column has several humps by the distance of its distribution from those with one, as in
// Hartigan & Hartigan's dip test: convex up to some quantile, concave from there on. Of uniform columns about one in a
// hundred is bimodal by chance.
func bimodal(column []float64) bool {
	const modes, critical = 40, 1.0
	values := slices.DeleteFunc(slices.Clone(column), math.IsNaN)
	slices.Sort(values)
	mirrored := make([]float64, len(values))
	for i, x := range values {
		mirrored[len(values)-1-i] = -x
	}
	least := math.Inf(1)
	for m := range modes {
		at := m * len(values) / modes
		least = min(least, max(fromConvex(values[:at]), fromConvex(mirrored[:len(values)-at])))
	}
	return least > critical*math.Sqrt(float64(len(values)))
}

// fromConvex is the largest distance of the counts of rising values from their greatest convex minorant.
func fromConvex(values []float64) (largest float64) {
	var hull []int
	for i, x := range values {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if float64(b-a)*(x-values[a]) < float64(i-a)*(values[b]-values[a]) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	for k := 1; k < len(hull); k++ {
		a, b := hull[k-1], hull[k]
		for i := a; i < b; i++ {
			share := (values[i] - values[a]) / max(values[b]-values[a], math.SmallestNonzeroFloat64)
			largest = max(largest, float64(i-a)-share*float64(b-a))
		}
	}
	return largest
}

const mostKnots = 201

// knotsOf returns evenly spaced quantiles of a column.
func knotsOf(column []float64) []float64 {
	values := slices.DeleteFunc(slices.Clone(column), math.IsNaN)
	slices.Sort(values)
	knots := make([]float64, min(len(values), mostKnots))
	for j := range knots {
		knots[j] = values[j*(len(values)-1)/max(len(knots)-1, 1)]
	}
	return knots
}

// normalScore is the quantile of a standard normal at the share of knots below x.
func normalScore(knots []float64, x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	at, _ := slices.BinarySearch(knots, x)
	place := float64(min(at, len(knots)-1))
	if at > 0 && at < len(knots) {
		place -= (knots[at] - x) / (knots[at] - knots[at-1])
	}
	return standardQuantile((place + 0.5) / float64(len(knots)))
}

func standardQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
