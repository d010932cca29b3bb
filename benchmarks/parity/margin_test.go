package parity

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// probabilities returns P_F of every decision of labelled sets: [set][point][candidate], none for the first point.
func probabilities(net *models.Network, labels [][]int32) [][][]float64 {
	tables := must.M1(net.Tables(decodedX(), slices.Concat(labels...), len(labels), decodedPoints))
	for _, set := range tables {
		for _, row := range set {
			low := math.Inf(1)
			for _, e := range row {
				low = min(low, e)
			}
			var sum float64
			for k, e := range row {
				row[k] = math.Exp(low - e)
				sum += row[k]
			}
			for k := range row {
				row[k] /= sum
			}
		}
	}
	return tables
}

// midpoints makes the uniforms of the ancestral case: at each step a slot is chosen among those with at least a tenth
// of the probability, and the uniform is the middle of its interval. The first point has no choice; its uniform is a
// half.
func midpoints(backend compute.Backend) []float32 {
	net := must.M1(models.NewNetwork(backend, vectors, weights(vectors, 1)))
	labels, u := make([][]int32, decodedSets), make([]float32, decodedSets*decodedPoints)
	for set := range labels {
		labels[set] = make([]int32, decodedPoints)
		u[set*decodedPoints] = 0.5
	}
	for n := 1; n < decodedPoints; n++ {
		tables := probabilities(net, labels)
		for set, table := range tables {
			likely := []int{}
			for k, p := range table[n] {
				if p >= 0.1 {
					likely = append(likely, k)
				}
			}
			chosen := likely[(set+n)*7%len(likely)]
			if last := len(table[n]) - 1; table[n][last] >= 0.1 && n < 20 {
				chosen = last // many clusters, so that the compiled loop has to grow
			}
			var below float64
			for _, p := range table[n][:chosen] {
				below += p
			}
			labels[set][n] = int32(chosen)
			u[set*decodedPoints+n] = float32(below + table[n][chosen]/2)
		}
	}
	return u
}

// The decoding cases compare labels for equality, so no decision may be close: the greedy one leads by a margin in
// log-probability far above rounding, and the uniforms lie well inside of their intervals.
func TestDecodingMargins(t *testing.T) {
	net := must.M1(models.NewNetwork(backend, vectors, weights(vectors, 1)))
	sets := must.M1(sampling.Encode(net, decodedX(), decodedSets, decodedPoints))
	greedy := must.M1(sets.Run(sets.EachSet(), sampling.Greedy{}))
	lead := math.Inf(1)
	for _, set := range probabilities(net, greedy.Labels) {
		for _, row := range set[1:] {
			row = slices.Sorted(slices.Values(row))
			lead = min(lead, math.Log(row[len(row)-1]/row[len(row)-2]))
		}
	}
	if lead < greedyLead {
		t.Errorf("a greedy decision leads by %.3g nats, want at least %g; search another decodedStream",
			lead, greedyLead)
	}
	u := must.M1(uniforms())
	drawn := must.M1(sets.Run(sets.EachSet(), sampling.Ancestral{Uniforms: u, Steps: decodedPoints}))
	margin, most := math.Inf(1), int32(0)
	for set, table := range probabilities(net, drawn.Labels) {
		for n := 1; n < decodedPoints; n++ {
			edge := 0.0
			for _, p := range table[n][:len(table[n])-1] {
				edge += p
				margin = min(margin, math.Abs(u[set*decodedPoints+n]-edge))
			}
			most = max(most, drawn.Labels[set][n])
		}
	}
	t.Logf("greedy decisions lead by %.3g nats, uniforms are %.3g from an edge, %d clusters drawn",
		lead, margin, most+1)
	if margin < 0.04 {
		t.Errorf("a uniform is %.3g from an edge, want 0.04", margin)
	}
	if most < 8 {
		t.Errorf("at most %d clusters were drawn: the compiled loop's first slots suffice", most+1)
	}
}

// greedyLead in nats is about a hundred times what float32 rounding changes an energy of the size here (90): the factor
// covers 24 layers and sums.
const greedyLead = 0.02
