package models

import (
	"fmt"
	"slices"
)

// Literal evaluates the energy network as the paper writes it, in float64 on the host, without folding or shared work.
// It is slow and plain on purpose: the reference for the fast form, and the recipe for anyone who recomputes energies
// from exported weights.
type Literal struct {
	Alpha float64 // of the set; 0: unknown

	config Config
	params map[string]Param
}

// NewLiteral wraps weights that fit the configuration.
func NewLiteral(c Config, ps Params) *Literal {
	l := &Literal{config: c, params: make(map[string]Param, len(ps))}
	for _, p := range ps {
		l.params[p.Name] = p
	}
	return l
}

// Energy returns E[c_{1:n}] = f(Σ_k g(H_k), U): the labels [n] of the first n points, and the points x [N,D] of the
// set, those from n on unassigned (paper, eq. unnormalized_marginal).
func (l *Literal) Energy(x []float32, labels []int32) float64 {
	points, pooled := l.points(x)
	clusters := map[int32][]float64{}
	members := map[int32][][]float64{}
	for i, c := range labels {
		clusters[c] = add(clusters[c], l.network("h", pooled[i]))
		members[c] = append(members[c], points[i])
	}
	global, own := make([]float64, l.config.Global), ownEnergies{}
	for k := range int32(len(clusters)) {
		g, more := l.cluster(clusters[k], members[k])
		global = add(global, g)
		own.add(more)
	}
	unassigned := make([]float64, l.config.Embed)
	if !l.config.Online {
		for _, x := range pooled[len(labels):] {
			unassigned = add(unassigned, l.network("u", x))
		}
	}
	state := append(global, unassigned...)
	return l.final(state, own, len(clusters), len(labels), points) + l.density(pooled[:len(labels)])
}

// Table returns the energies of all candidates of the labelled set: row n holds E[c_{1:n−1}, k] for k = 0..K_n. Row 0
// has the single candidate of the first point.
func (l *Literal) Table(x []float32, labels []int32) [][]float64 {
	rows := make([][]float64, len(labels))
	k := int32(0)
	for n, label := range labels {
		for slot := int32(0); slot <= k; slot++ {
			candidate := append(append([]int32{}, labels[:n]...), slot)
			rows[n] = append(rows[n], l.Energy(x, candidate))
		}
		if label == k {
			k++
		}
	}
	return rows
}

// network applies one of h, u, g, f to a vector: linear layers with a ReLU between each two. more is added to what the
// first layer gives.
func (l *Literal) network(name string, x []float64, more ...float64) []float64 {
	for i := 0; ; i++ {
		w, ok := l.params[weightName(name, i, "weight")]
		if !ok {
			return x
		}
		if i > 0 {
			for j, v := range x {
				x[j] = max(v, 0)
			}
		}
		x = linear(x, w, l.params[weightName(name, i, "bias")].Data)
		if i == 0 && more != nil {
			x = add(x, more)
		}
	}
}

func linear(x []float64, w Param, bias []float32) []float64 {
	out := w.Shape[1]
	y := make([]float64, out)
	for j, b := range bias {
		y[j] = float64(b)
	}
	for i, v := range x {
		for j := range out {
			y[j] += v * float64(w.Data[i*out+j])
		}
	}
	return y
}

// points are the points of a set x [N,D], with what they see if they see sets, and what h and u read of them.
func (l *Literal) points(x []float32) (points, pooled [][]float64) {
	for row := range slices.Chunk(x, l.config.Dim) {
		p := make([]float64, len(row))
		for j, v := range row {
			p[j] = float64(v)
		}
		points = append(points, p)
	}
	if l.config.seesSets() {
		return l.looked(points)
	}
	return points, points
}

// add returns a + b; a nil a counts as zero.
func add(a, b []float64) []float64 {
	sum := append([]float64{}, b...)
	for i, v := range a {
		sum[i] += v
	}
	return sum
}

func weightName(network string, layer int, kind string) string {
	return fmt.Sprintf("%s.%d.%s", network, layer, kind)
}
