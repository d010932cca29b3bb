package mixture

import "math"

// startSizes are the clusters that chains start from, in turn; a cluster has at least startRows rows in the mean.
var startSizes = [...]struct{ clusters, startRows, tail int }{
	{1, 1, 4}, {12, 20, gaussian}, {5, 20, 4}, {25, 15, gaussian},
}

// newStart returns the partition and ν that a chain starts from: K = 1, or k-means with several K.
func newStart(r *rows, chain int, rng random) (labels []int32, tail int) {
	kind := startSizes[chain%len(startSizes)]
	number := 1
	if kind.clusters > 1 {
		number = max(2, min(kind.clusters, r.n/kind.startRows))
	}
	if r.known != nil {
		number = min(max(number, r.known.least), r.known.most)
	}
	if number = min(number, r.n); number == 1 {
		return make([]int32, r.n), kind.tail
	}
	return kMeans(r.features(), number, rng), kind.tail
}

// features returns the rows for k-means: numbers, bounded so that far rows do not draw all centres, and indicators.
func (r *rows) features() [][]float64 {
	const bound, indicator = 6, 1.5
	var columns [][]float64
	for _, column := range r.columns {
		bounded := make([]float64, r.n)
		for i, x := range column {
			bounded[i] = max(-bound, min(bound, x))
		}
		columns = append(columns, bounded)
	}
	for q, codes := range r.codes {
		first := len(columns)
		for range r.first[q+1] - r.first[q] {
			columns = append(columns, make([]float64, r.n))
		}
		for i, code := range codes {
			if code >= 0 {
				columns[first+int(code)][i] = indicator
			}
		}
	}
	return columns
}

// kMeans clusters columns [F][n] in at most k by a few of Lloyd's steps from k-means++.
func kMeans(columns [][]float64, k int, rng random) []int32 {
	const steps = 12
	n := len(columns[0])
	centres := make([]shape, 0, k)
	nearest, labels, distance := make([]float64, n), make([]int32, n), make([]float64, n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	seed := rng.IntN(n)
	for len(centres) < k {
		centre := newRoundShape(len(columns))
		for d, column := range columns {
			centre.mean[d] = column[seed]
		}
		centres = append(centres, centre)
		centre.distances(columns, distance)
		total := 0.0
		for i, d := range distance {
			nearest[i] = min(nearest[i], d)
			total += nearest[i]
		}
		left := rng.Float64() * total
		for seed = 0; seed < n-1; seed++ {
			if left -= nearest[seed]; left < 0 {
				break
			}
		}
	}
	for range steps {
		assign(columns, centres, labels, nearest, distance)
		recentre(columns, centres, labels)
	}
	return labels
}

// newRoundShape has distances |x − mean|².
func newRoundShape(dim int) shape {
	s := newShape(dim)
	s.diagonal = true
	for d := range dim {
		s.factor[d*dim+d] = 1
	}
	return s
}

func assign(columns [][]float64, centres []shape, labels []int32, nearest, distance []float64) {
	for k := range centres {
		centres[k].distances(columns, distance)
		for i, d := range distance {
			if k == 0 || d < nearest[i] {
				nearest[i], labels[i] = d, int32(k)
			}
		}
	}
}

func recentre(columns [][]float64, centres []shape, labels []int32) {
	counts := make([]float64, len(centres))
	for _, k := range labels {
		counts[k]++
	}
	for d, column := range columns {
		sums := make([]float64, len(centres))
		for i, k := range labels {
			sums[k] += column[i]
		}
		for k, sum := range sums {
			if counts[k] > 0 {
				centres[k].mean[d] = sum / counts[k]
			}
		}
	}
}
