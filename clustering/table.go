package clustering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/mixture"
	"github.com/gfncp/gfncp/mixture/tables"
	"github.com/gfncp/gfncp/posterior"
)

// MixtureModel is the name of the mixture that clusters tables without a network (Table).
const MixtureModel = "mixture"

// MaxRows is the largest number of rows that are all sampled. Of a larger table a subset is sampled.
const MaxRows = 10_000

const (
	mostFull    = 0.01 // warn above this share of sweeps at the largest number of clusters
	mostParted  = 0.05 // warn above this share of rows that equal rows of other clusters
	tableSubset = 5000 // rows that are sampled of a larger table
)

// ColumnUse tells how a column of a table is used.
type ColumnUse struct {
	Name string     `json:"name"`
	Use  tables.Use `json:"use"`
	Step float64    `json:"step,omitempty"` // of a column whose values are rounded
}

// Table clusters the rows of a table by package mixture, whose point estimate gives the labels. Rows in clusters that
// do not count in K (mixture.Posterior.Counted) have the label None.
//
// If the rows, or the sum of the weights, exceed MaxRows, a random Subset is sampled and the other rows are predicted.
// Options.Known prevents this unless it holds weights alone. Faults of the table or the options are *usererr.Error. The
// answer depends only on the table, the seed and the number of samples, unless Options.Time or a deadline of ctx ends
// the sampling. Time grows with N·K·D².
func Table(ctx context.Context, t *tabular.Table, o Options) (*Result, error) {
	if err := cmp.Or(o.checkTable(t.Len()), t.CheckVaries()); err != nil {
		return nil, err
	}
	total, err := o.countedRows(t)
	if err != nil {
		return nil, err
	}
	f := newTableFit(t)
	rows, _, err := f.rows(t)
	if err != nil {
		return nil, err
	}
	unused := o.Weights != nil && !rows.HasChanceCopies(float64(total))
	if unused {
		o.Weights, total = nil, rows.Rows
	}
	whole := MaxRows
	if o.restricts() {
		whole = total
	}
	part, err := o.takesPart(total, whole, tableSubset)
	if err != nil {
		return nil, err
	}
	sampled, places := rows, []int(nil)
	if part {
		if places, o.Weights = o.drawRows(total); len(places) < 2 {
			return nil, usererr.File(t.Path, 0, "lower its weight", "one row stands for nearly all of %d rows", total)
		}
		sampled = rows.Pick(places)
	}
	found, err := mixture.Sample(ctx, sampled, mixture.Options{
		Seed: o.Seed, Draws: o.Samples, Time: o.Time, Known: o.Known, RowName: t.RowName,
		Progress: o.progress("sweeps of the chains, at most"),
	})
	if err != nil {
		return nil, o.samplingFault(err)
	}
	f.Rows = sampled.Rows
	r := newTableResult(f, found, o)
	r.warnOfTable(t, found)
	r.warn(unused, "the numbers are not rounded, so equal rows tell no more than one: the weights are not used")
	if part {
		r.extend(places, f.predict(rows))
	}
	return r, nil
}

func (o Options) checkTable(n int) error {
	if err := cmp.Or(o.check(n), checkMany(n)); err != nil {
		return err
	}
	switch {
	case o.Samples == 0:
		return usererr.Option("Samples", "draw at least one", "is 0, but a table's answer needs samples")
	case o.Scale != 0 && o.Scale != 1:
		return usererr.Option("Scale", "leave it out, or name a network", "is a network's, but there is none")
	}
	return nil
}

// samplingFault names the time as the fault if it ended the sampling without an answer.
func (o Options) samplingFault(err error) error {
	switch {
	case o.Time > 0 && errors.Is(err, context.DeadlineExceeded):
		return usererr.Option("Time", "give more time, or fewer columns",
			"%v ended the sampling before it had an answer", o.Time)
	case usererr.Is(err):
		return err
	}
	return fmt.Errorf("cluster: %w", err)
}

// newTableResult returns the answer of a sampled table, without warnings.
func newTableResult(fit *TableFit, found *mixture.Posterior, o Options) *Result {
	r := &Result{
		SchemaVersion: SchemaVersion, Model: MixtureModel, Decode: DecodeVI, Seed: o.Seed,
		Labels: slices.Clone(found.Labels),
		Center: []float32{}, ScaleFactor: 1, Chains: newChains(found), Warnings: []string{}, Table: fit,
	}
	for i, c := range fit.Columns {
		use := found.Uses[i]
		if c.First != nil {
			use += tables.Use(fmt.Sprintf(", around a circle from %.6g", *c.First))
		}
		r.Columns = append(r.Columns, ColumnUse{c.Name, use, found.Rounded[i]})
	}
	r.summarize(found.Draws, nil, o)
	r.addShares(len(found.Draws))
	r.KPosterior = nil
	for k, p := range found.NumberProbs {
		if p > 0 {
			r.KPosterior = append(r.KPosterior, posterior.KProb{K: k, P: p})
		}
	}
	fit.Fit = found.Fit
	fit.Clusters = r.dropOutlying(found.Counted)
	return r
}

// warnOfTable warns of a table, and of a posterior that may not fit it.
func (r *Result) warnOfTable(t *tabular.Table, found *mixture.Posterior) {
	r.warn(found.Copies > 0, "%s of others: all copies of a row count as one row", text.Count(found.Copies,
		"row is an exact copy", "rows are exact copies"))
	r.warn(found.Full > mostFull, "the sampler knows at most %d clusters, and the answer is at this limit: there may "+
		"be more", mixture.MostClusters)
	r.warnChains()
	r.warn(found.Parted > mostParted, "%.0f %% of the rows are equal to rows of other clusters: the table is too "+
		"coarse for so many clusters", 100*found.Parted)
	r.warn(slices.Contains(found.Uses, tables.ByRank), "neither a dependence between columns nor humps were found "+
		"beyond doubt: the columns' ranks are taken, whose humps do not count; cluster one alone (FileOptions.Columns)")
	r.warn(slices.Contains(found.Uses, tables.Alone), "categories show clusters only where columns depend on each "+
		"other, and none does: P(K) is nearly the prior's")
	r.warnDisputed(t, found.Disputed)
	r.warnGaps(t)
	var ties []tables.Tie
	if found.Checks != nil {
		r.addChecks(found.Checks)
		if r.K > 1 {
			ties = found.Checks.Ties
		}
	}
	r.warnTies(ties)
}

// countedRows returns the sum of the weights, 1 for each row without, or an error that names a weight that is no count.
func (o Options) countedRows(t *tabular.Table) (total int, err error) {
	switch {
	case o.Weights == nil:
		return t.Len(), nil
	case len(o.Weights) != t.Len():
		return 0, usererr.Option("Weights", "give one for each row", "has %d values for %s", len(o.Weights),
			text.Count(t.Len(), "row"))
	}
	const exact = 1 << 53 // larger whole numbers are not
	sum := 0.0
	for i, weight := range o.Weights {
		sum += weight
		if !(weight >= 1) || weight != math.Trunc(weight) || sum > exact {
			return 0, t.Fault(i, "round the weights, or scale them so that 1 stands for one row",
				"weight %g is no count of equal rows", weight)
		}
	}
	return int(sum), nil
}

// drawRows draws a random subset of the total rows, with each row repeated by its weight. It returns the indices of the
// drawn rows, ascending, and how often each was drawn, nil without weights.
func (o Options) drawRows(total int) (places []int, counts []float64) {
	drawn := o.drawSubset("table/subset", total)
	if o.Weights == nil {
		return drawn, nil
	}
	end := 0 // of the rows that row i stands for
	for i, weight := range o.Weights {
		end += int(weight)
		if count := sort.SearchInts(drawn, end); count > 0 {
			places, counts, drawn = append(places, i), append(counts, float64(count)), drawn[count:]
		}
	}
	return places, counts
}

// addShares sets LogProb of the samples, and of the labels, to the log of their share of the draws.
func (r *Result) addShares(draws int) {
	r.LogProb = -math.Log(float64(draws))
	for i := range r.Samples {
		s := &r.Samples[i]
		s.LogProb = math.Log(float64(s.Count) / float64(draws))
		if slices.Equal(s.Labels, r.Labels) {
			r.LogProb = s.LogProb
		}
	}
}

// dropOutlying removes the clusters that are not counted. It returns the new label of each former cluster, or None.
func (r *Result) dropOutlying(counted []bool) (names []int32) {
	k := 0
	for _, counts := range counted {
		name := None
		if counts {
			name = int32(k)
			k++
		}
		names = append(names, name)
	}
	for i, label := range r.Labels {
		r.Labels[i] = names[label]
		if names[label] == None {
			r.Outlying++
		}
		r.Probabilities[i] = folded(r.Probabilities[i], names, k)
	}
	r.K = k
	return names
}

// folded returns the probabilities [K+1] of the renamed clusters. Clusters named None count for the last one.
func folded(probs []float64, names []int32, k int) []float64 {
	row := make([]float64, k+1)
	for j, p := range probs {
		if j < len(names) && names[j] != None {
			row[names[j]] += p
		} else {
			row[k] += p
		}
	}
	return row
}
