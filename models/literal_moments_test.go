package models

import (
	"math"
	"slices"
)

// ownEnergies are those of clusters that E adds without f: d always, d' as far as points are ahead.
type ownEnergies struct{ direct, ahead float64 }

func (o *ownEnergies) add(more ownEnergies) {
	o.direct, o.ahead = o.direct+more.direct, o.ahead+more.ahead
}

// cluster is g of a cluster with the given sum of h and members, and its own energies: 0 in the paper's network.
func (l *Literal) cluster(sum []float64, members [][]float64) (g []float64, own ownEnergies) {
	if !l.config.Extended {
		return l.network("g", sum), own
	}
	n, dim := float64(len(members)), l.config.pointColumns()
	mean, variance, scatter, square := make([]float64, dim), make([]float64, dim), 0.0, 0.0
	for _, x := range members {
		mean = add(mean, scaled(x, 1/n))
	}
	for j := range dim {
		for _, x := range members {
			variance[j] += (x[j] - mean[j]) * (x[j] - mean[j]) / n
		}
		if j < l.config.Dim {
			scatter += n * variance[j]
			square += mean[j] * mean[j]
		}
		variance[j] = math.Log(variance[j] + 0.05)
	}
	inputs := append([]float64{math.Log(n), n / 50}, scaled(mean, 0.1)...)
	inputs = append(append(inputs, variance...), math.Log(scatter+1))
	numbers := []float64{scatter, 0.01 * square, (n-0.5)*math.Log(n) - n, math.Log(n), 1}
	g = l.network("g", sum, l.linear("g.moments.weight", inputs)...)
	folded := l.folded(g)
	nothing := make([]float64, len(folded))
	if !l.config.seesSets() {
		return g, ownEnergies{direct: l.linear("g.direct.weight", append(folded, numbers...))[0]}
	}
	return g, ownEnergies{
		direct: directScale * l.linear("g.direct.weight", append(nothing, numbers...))[0],
		ahead:  l.linear("g.direct.weight", append(slices.Clone(folded), make([]float64, len(numbers))...))[0],
	}
}

// folded is g', what f's first layer makes of g: it is this that the direct energy reads.
func (l *Literal) folded(g []float64) []float64 {
	w := l.params[weightName("f", 0, "weight")]
	return linear(g, Param{Shape: []int{len(g), w.Shape[1]}, Data: w.Data[:len(g)*w.Shape[1]]}, nil)
}

// final is the energy of a state with k clusters of the first n points of a set, but for Σ t.
func (l *Literal) final(state []float64, own ownEnergies, k, n int, points [][]float64) float64 {
	if !l.config.Extended {
		return l.network("f", state)[0]
	}
	ahead := float64(len(points) - n)
	if l.config.Online {
		ahead = 0
	}
	counts := []float64{
		float64(k) / 5, math.Log(float64(k)), float64(n) / 50, math.Log(float64(n)), ahead / 50, math.Log(ahead + 1),
	}
	if l.config.seesSets() {
		shares := make([]float64, l.config.countColumns())
		for _, x := range points[n:] {
			shares = add(shares, x[len(x)-len(shares):])
		}
		counts = append(counts, scaled(shares, 0.2)...)
		for _, share := range shares {
			counts = append(counts, math.Log(share+1))
		}
	}
	known, logAlpha := l.alpha()
	counts = append(counts, known, logAlpha, counts[0]*logAlpha)
	energy := l.linear("f.direct.weight", []float64{float64(k) * logAlpha, float64(k) * known})[0]
	foresight := l.network("f", state, l.linear("f.counts.weight", counts)...)[0]
	if l.config.seesSets() {
		bend := float64(k) * math.Log(float64(k)) / 10
		foresight = (foresight+own.ahead)*ahead/(ahead+aheadScale) + l.network("q", append(counts, bend))[0]
		energy *= directScale
	}
	return energy + own.direct + foresight
}

// alpha is whether α is known, and log α, 0 where it is not.
func (l *Literal) alpha() (known, logAlpha float64) {
	if l.Alpha > 0 {
		return 1, math.Log(l.Alpha)
	}
	return 0, 0
}

// density is Σ t of points given by what h and u read: 0 online.
func (l *Literal) density(pooled [][]float64) (sum float64) {
	if !l.config.seesSets() {
		return 0
	}
	for _, x := range pooled {
		known, logAlpha := l.alpha()
		sum += l.network("t", append(slices.Clone(x), logAlpha, known))[0]
	}
	return sum
}

func (l *Literal) linear(weight string, x []float64) []float64 {
	return linear(x, l.params[weight], nil)
}

func scaled(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for j, v := range x {
		y[j] = by * v
	}
	return y
}
