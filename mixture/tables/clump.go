package tables

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/mixture/em"
)

// clumped reports whether more pairs of rows are near each other in all columns [·][n] than in shuffled columns. A
// group that is narrow in several columns makes them, though two columns alone hardly look dependent. Near is within
// some share of the ranks.
func clumped(columns [][]float64) bool {
	const shuffles, sure, most = 40, 4, 1000 // sure: standard deviations; most: rows
	n := min(most, len(columns[0]))
	some := em.UpTo(0, n)
	for i := range some {
		some[i] = i * len(columns[0]) / n
	}
	var ranks [][]int
	for _, column := range columns {
		ranks = append(ranks, ranksOf(em.Pick(column, some)))
	}
	rng := em.NewRandom(uint64(len(columns)), 0x636c756d70)
	for _, share := range [...]float64{.05, .1, .2, .4} {
		width, shuffled := int(share/2*float64(n)), make([]float64, shuffles)
		found := nearPairs(ranks, width)
		for k := range shuffled {
			mixed := make([][]int, len(ranks))
			for d := range ranks {
				mixed[d] = rng.Perm(n)
			}
			shuffled[k] = nearPairs(mixed, width)
		}
		mean, sd := stat.MeanStdDev(shuffled, nil)
		if found > mean+sure*max(sd, 1) {
			return true
		}
	}
	return false
}

// ranksOf returns the ranks [n] of the values, which it sorts.
func ranksOf(values []float64) []int {
	order, ranks := make([]int, len(values)), make([]int, len(values))
	floats.ArgsortStable(values, order)
	for rank, i := range order {
		ranks[i] = rank
	}
	return ranks
}

// nearPairs counts the pairs of rows whose ranks [D][n] differ by at most width in each column.
func nearPairs(ranks [][]int, width int) (pairs float64) {
	n := len(ranks[0])
	at := make([]int, n) // the row of each rank in the first column
	for i, rank := range ranks[0] {
		at[rank] = i
	}
	for rank, i := range at {
	others:
		for _, j := range at[rank+1 : min(rank+1+width, n)] {
			for _, of := range ranks[1:] {
				if apart := of[i] - of[j]; apart > width || -apart > width {
					continue others
				}
			}
			pairs++
		}
	}
	return pairs
}
