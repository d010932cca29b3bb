package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/mixture/em"
)

// valleys looks for valleys between the clusters of a fitted mixture of rows without gaps.
type valleys struct {
	*em.EM
	labels []int       // [n], the most probable component of each row
	mass   [][]float64 // [a][b], the share of the mass of cluster a that lies in rows of cluster b
	logs   [][]float64 // [K][n], see heldOut; nil unless byScore
}

func newValleys(m *em.EM) *valleys {
	v := &valleys{EM: m, mass: em.Grid(len(m.Components), len(m.Components))}
	for i := range m.N {
		z := m.Nearest(i)
		v.labels = append(v.labels, z)
		for a, shares := range m.Shares {
			v.mass[a][z] += shares[i]
		}
	}
	for _, of := range v.mass {
		floats.Scale(1/max(floats.Sum(of), 1), of)
	}
	if v.byScore() {
		v.logs = v.heldOut()
	}
	return v
}

// Two clusters are joined if the density between them is at least pairValley times that at the less dense end, and they
// overlap by pairOverlap. Three and more are joined if each link of a chain between them has chainValley and
// chainOverlap.
const (
	pairValley   = 0.65
	pairOverlap  = 0.03 // share of a cluster's mass in rows of the other; it keeps nested clusters apart
	chainValley  = 0.3
	chainOverlap = 0.02
)

// groups joins the clusters that no valley separates (Ray & Lindsay 2005, Hennig 2010).
func (v *valleys) groups(counted []bool) (groups []int, number int) {
	k := len(v.Components)
	near, linked := em.Sets(em.UpTo(0, k)), em.Sets(em.UpTo(0, k))
	for a := range k {
		for b := range a {
			overlap := v.overlap(a, b)
			if !counted[a] || !counted[b] || overlap < chainOverlap {
				continue
			}
			depth := v.between(a, b)
			if depth >= chainValley {
				linked.Join(a, b)
			}
			if depth >= pairValley && overlap >= pairOverlap {
				near.Join(a, b)
			}
		}
	}
	sizes := make([]int, k)
	for a := range k {
		sizes[linked.Of(a)]++
	}
	for a := range k {
		if first := linked.Of(a); sizes[first] > 2 {
			near.Join(a, first)
		}
	}
	for a := range k {
		group := -1
		if first := near.Of(a); counted[a] && first < a {
			group = groups[first]
		} else if counted[a] {
			group = number
			number++
		}
		groups = append(groups, group)
	}
	return groups, number
}

// byScore reports whether clusters are told apart by scores rather than densities: where there are no numbers, and in
// many columns, where pieces of a bent group have a valley between their centres, because the rows between them lie
// beside the straight line.
func (v *valleys) byScore() bool { return v.Dim() == 0 || v.Dim() > em.FewColumns }

// overlap returns the larger of the shares of a's mass in rows of b, and of b's in rows of a. It returns 1 where scores
// count, which keep nested clusters apart by themselves.
func (v *valleys) overlap(a, b int) float64 {
	if v.byScore() {
		return 1
	}
	return max(v.mass[a][b], v.mass[b][a])
}

// between returns the depth of the valley between clusters a and b, 1 without a valley.
func (v *valleys) between(a, b int) float64 {
	if v.byScore() {
		return v.score(a, b)
	}
	return v.Valley(a, b)
}

// score returns the valley between the rows of a and b in their log-likelihood ratio, which separates a from b best.
// Classes that differ in several categories have a valley there; levels of one trait, such as an ability, have none. On
// a scale (onScale) each step has items of its own, which weigh much, and would make a valley: there the score counts
// items. A cluster that is most probable in no row has a valley towards all clusters but the one whose rows hold most
// of its mass.
func (v *valleys) score(a, b int) float64 {
	var scores []float64
	var labels []int32
	scale := v.onScale(a, b)
	for i, k := range v.labels {
		if k != a && k != b {
			continue
		}
		label, score := int32(0), v.logs[a][i]-v.logs[b][i]
		if k == b {
			label = 1
		}
		if scale {
			score = v.countItems(a, b, i)
		}
		scores, labels = append(scores, score), append(labels, label)
	}
	ofRowless := func(k, other int) float64 {
		if floats.MaxIdx(v.mass[k]) == other {
			return 1
		}
		return 0
	}
	switch {
	case !slices.Contains(labels, 0):
		return ofRowless(a, b)
	case !slices.Contains(labels, 1):
		return ofRowless(b, a)
	}
	clipTails(scores, labels)
	return em.FitColumn(scores, labels).Valley(0, 1)
}

// clipTails bounds the scores of each of the labels 0 and 1 by its central nine tenths: scores of far rows would widen
// the fitted distributions.
func clipTails(scores []float64, labels []int32) {
	const tail = 0.05
	for k := range int32(2) {
		var of []float64
		for i, label := range labels {
			if label == k {
				of = append(of, scores[i])
			}
		}
		slices.Sort(of)
		low, high := stat.Quantile(tail, stat.Empirical, of, nil), stat.Quantile(1-tail, stat.Empirical, of, nil)
		for i, label := range labels {
			if label == k {
				scores[i] = min(max(scores[i], low), high)
			}
		}
	}
}

// countItems returns the number of variables in which the level of row i is more frequent in a than in b, minus the
// number of those in which it is less frequent.
func (v *valleys) countItems(a, b, i int) (sum float64) {
	for q, codes := range v.Codes {
		if codes[i] >= 0 {
			level := v.First[q] + int(codes[i])
			sum += math.Copysign(1, v.Components[a].LogLevel[level]-v.Components[b].LogLevel[level])
		}
	}
	return sum
}

// onScale reports whether there are only categories, and a, b and a third cluster are ordered.
func (v *valleys) onScale(a, b int) bool {
	for c := range v.Components {
		if v.Dim() == 0 && c != a && c != b && (v.ordered(a, b, c) || v.ordered(b, a, c) || v.ordered(a, c, b)) {
			return true
		}
	}
	return false
}

// ordered reports whether cluster b lies between a and c: in nearly all levels its probability is between theirs.
func (v *valleys) ordered(a, b, c int) bool {
	const nearly = 0.05
	against, total := 0.0, 0.0
	for l, log := range v.Components[b].LogLevel {
		p := math.Exp(log)
		up := p - math.Exp(v.Components[a].LogLevel[l])
		further := math.Exp(v.Components[c].LogLevel[l]) - p
		total += math.Abs(up) + math.Abs(further)
		if up*further < 0 {
			against += min(math.Abs(up), math.Abs(further))
		}
	}
	return against <= nearly*total
}

// heldOut returns [K][n] the log joint probability of each row and each component. The components are fitted to the
// other nine tenths of the rows: in many columns any two halves of one group look separated by the parameters that are
// fitted to them.
func (v *valleys) heldOut() [][]float64 {
	const folds = 10
	order := v.Rng.Perm(v.N) // not every tenth row: the order may be periodic
	logs := em.Grid(len(v.Components), v.N)
	for fold := range folds {
		var members, left []int32
		for at, i := range order {
			if at%folds == fold {
				left = append(left, int32(i))
			} else {
				members = append(members, int32(i))
			}
		}
		f := em.New(v.Some(), len(v.Components), v.Nu)
		f.Take(members, v.Weights)
		for at, i := range members {
			f.Shares[v.labels[i]][at] = 1
		}
		f.PoolScatter()
		f.Maximize(false)
		f.Take(left, v.Weights)
		for k := range f.Components {
			to := &f.Components[k]
			to.Distances(f.Columns, 0, f.Distances[k])
			to.Join(&f.Rows, f.Tails, 0, f.Distances[k], f.Shares[k])
			for at, i := range left {
				logs[k][i] = f.Shares[k][at]
			}
		}
	}
	return logs
}
