package clustering

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// matching leads from the clusters of samples to those of an estimate: the mean over the samples, as Predict says.
type matching struct {
	k       int       // clusters of the estimate
	partner [][]int   // of each sample's clusters, in order of first appearance: that of the estimate, or k
	weight  []float64 // of each sample
}

// visitor gets the probabilities [K+1] of a point: of the estimate's clusters and of none of them, and that of a new
// one. It may keep the row, and is called from several goroutines, for different points.
type visitor func(point int, row []float64, fresh float64)

// newMatching matches samples, labels [S][N] that were drawn so many times, with the estimate [N] of labels 0..K−1.
func newMatching(estimate []int32, samples [][]int32, counts []int) (m matching, err error) {
	m.k = metrics.Clusters(estimate)
	names := make([]int, m.k) // of the clusters in order of first appearance
	for i, c := range partition.New(estimate).Labels {
		names[c] = int(estimate[i])
	}
	total := 0
	for i, labels := range samples {
		partner, err := posterior.Match(labels, estimate)
		if err != nil {
			return m, err
		}
		for j, k := range partner {
			if k < m.k {
				partner[j] = names[k]
			}
		}
		total += counts[i]
		m.partner, m.weight = append(m.partner, partner), append(m.weight, float64(counts[i]))
	}
	floats.Scale(1/float64(total), m.weight)
	return m, nil
}

// row is what probabilities under each sample, of its clusters and of a new one, say of the estimate's clusters and of
// none of them, and of a new one.
func (m *matching) row(probs [][]float64) (row []float64, fresh float64) {
	row = make([]float64, m.k+1)
	for s, p := range probs {
		last := len(p) - 1
		for j, v := range p[:last] {
			row[m.partner[s][j]] += m.weight[s] * v
		}
		fresh += m.weight[s] * p[last]
	}
	row[m.k] += fresh
	return row, fresh
}

// chooseDraws returns how often each sample, drawn counts times, is among at most o.Samples draws, a random choice of
// them; and how many these are.
func chooseDraws(counts []int, o Options) (chosen []int, drawn int) {
	var draws []int // the sample of each
	for i, count := range counts {
		draws = append(draws, slices.Repeat([]int{i}, count)...)
	}
	if len(draws) > o.Samples {
		data.Rand(o.Seed, "predict/samples", 0).Shuffle(len(draws), func(i, j int) {
			draws[i], draws[j] = draws[j], draws[i]
		})
		draws = draws[:o.Samples]
	}
	chosen = make([]int, len(counts))
	for _, i := range draws {
		chosen[i]++
	}
	return chosen, len(draws)
}
