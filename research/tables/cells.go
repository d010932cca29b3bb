package main

import (
	"math"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/research/tables/rivals"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

// addCells adds the cells of all groups: means over a group's sets with their standard errors.
func (s *sheet) addCells(groups []group, all []scores) {
	for _, g := range groups {
		for _, v := range all {
			var there []score
			for _, i := range g.places {
				there = append(there, v.of[i])
			}
			for _, n := range g.numbers {
				s.table.Cells = append(s.table.Cells, table.Cell{
					Data: g.name, Model: v.name, Metric: n.name, Ours: meanOf(n, there), Seeds: []uint64{1},
				})
			}
			s.addECE(g.name, v.name, there)
		}
	}
}

// addECE adds the calibration error of the doubtful pairs of a method with probabilities, if it has at least two sets.
func (s *sheet) addECE(group, method string, there []score) {
	var answers []*ownAnswer
	for _, j := range there {
		if j.own != nil {
			answers = append(answers, j.own)
		}
	}
	if len(answers) < 2 {
		return
	}
	value := &table.Value{Std: new(float64), N: 1}
	value.Mean, *value.Std = pooledECE(answers)
	s.table.Cells = append(s.table.Cells, table.Cell{
		Data: group, Model: method, Metric: "ECE", Ours: value, Seeds: []uint64{1},
	})
}

// meanOf returns the mean of a number over scores, with its standard error if there are several.
func meanOf(n number, all []score) *table.Value {
	var values []float64
	for _, j := range all {
		values = append(values, n.of(j))
	}
	value := table.MeanOf(values)
	if value.N = 1; value.Std != nil {
		*value.Std /= math.Sqrt(float64(len(values)))
	}
	return value
}

var profileNumbers = append(slices.Clone(agreementNumbers), number{"K", func(j score) float64 { return j.K }})

// addProfile adds a picture of ARI over the sets. Its data are all numbers of each set.
func (s *sheet) addProfile(sets []tablesets.Set, all []scores) {
	c := figure.NewChart("ARI of each set, from a method's worst to its best", "share of the sets", "ARI")
	c.Data = setRecords(sets, all)
	for _, v := range all {
		if v.name == mixtureBounded { // there are eight colours
			continue
		}
		line := figure.Series{Name: v.name}
		for _, j := range v.of {
			line.Y = append(line.Y, j.ARI)
		}
		slices.Sort(line.Y)
		for i := range line.Y {
			line.X = append(line.X, (float64(i)+0.5)/float64(len(line.Y)))
		}
		c.Add(line)
	}
	caption := c.Title + "; every set's numbers are beside it."
	s.table.Figures = append(s.table.Figures, table.Figure{Name: "sets", Caption: caption, Picture: c})
}

func setRecords(sets []tablesets.Set, all []scores) *figure.Records {
	r := &figure.Records{Columns: []string{"set", "n", "d", "k", "method"}}
	for _, n := range profileNumbers {
		r.Columns = append(r.Columns, n.name)
	}
	for i, set := range sets {
		for _, v := range all {
			row := []any{set.Name, set.N(), set.D, set.K(), v.name}
			for _, n := range profileNumbers {
				row = append(row, math.Round(1e4*n.of(v.of[i]))/1e4)
			}
			r.Rows = append(r.Rows, row)
		}
	}
	return r
}

// addNotes adds the footnotes: the sets, how the rivals were run, and the meaning of the columns.
func (s *sheet) addNotes(about string, versions []string, all []scores) {
	s.table.Note("%s", about)
	s.table.Note(`Every method gets the same columns. ± is the standard error over sets; all numbers of each set are in the
		figure's data. K is 1 to %d where it is searched for; KMeans alone is told the true K. mclust: all 14 families by BIC.
		GMM: the lowest BIC of 1 to %[1]d components, 5 restarts of at most 500 iterations; Bayesian GMM: %[1]d components, Dirichlet
		process, the same. HDBSCAN: minPts 5 and 15; noise is one cluster, and does not count in K. KMeans: 10 restarts. All else is
		the packages' default; seed 1. No rival was tuned.`, rivals.MostClusters)
	s.table.Note(`%s: no network and no training, but what gfncp cluster does: four chains on the posterior of a mixture of t
		distributions with an unknown K, until they agree or a budget of work is over. Rows in none of its clusters count as
		HDBSCAN's noise does. "%s" is the same with --k 1..%d.`, mixtureTable, mixtureBounded, rivals.MostClusters)
	s.table.Note(`CPU s is processor time, user and system, on a machine with other work, without the start of the interpreters. ECE is
		the calibration error of the probabilities that two points are together, of pairs with one of %g to %g, in ten bins,
		each set with the same weight; its ± is by the jackknife over sets.`, doubtful, 1-doubtful)
	s.table.Note("Versions: %s.", strings.Join(versions, "; "))
	s.faultsNote(all)
}

func (s *sheet) faultsNote(all []scores) {
	for _, v := range all {
		failed, why := 0, ""
		for _, j := range v.of {
			if j.Fault != "" {
				failed, why = failed+1, j.Fault
			}
		}
		if failed > 0 {
			s.table.Note("%s failed on %d sets, which count as one cluster: %s.", v.name, failed, why)
		}
	}
}
