package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/research/tables/rivals"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

// benchmark compares gfncp with rivals on labelled sets.
type benchmark struct {
	id, title, shows string
	load             func(s *sheet) ([]tablesets.Set, error)
	about            string                     // a footnote on the sets
	row              func(tablesets.Set) string // names the row of a set
	numbers          []number                   // of a row
	bounded          bool                       // whether gfncp has a second column, with the rivals' range of K
}

// sheet is the table of a benchmark while it is computed.
type sheet struct {
	ctx   context.Context
	table *table.Table

	dir string // of cached sets and answers
	say func(format string, args ...any)
}

// number is a named number of a score, for the table.
type number struct {
	name string
	of   func(j score) float64
}

// group is a row of the table: some sets by their places.
type group struct {
	name    string
	places  []int
	numbers []number
}

// score is how a method's labels of a set agree with the given ones.
type score struct {
	ARI, NMI float64
	K        float64 // clusters found; noise does not count, but all points as noise are one
	Off      float64 // |K − true|
	Seconds  float64 // of the processor
	Fault    string
	own      *ownAnswer // of the mixture
}

// scores are a method's scores on all sets.
type scores struct {
	name string
	of   []score
}

var (
	agreementNumbers = []number{
		{"ARI", func(j score) float64 { return j.ARI }},
		{"NMI", func(j score) float64 { return j.NMI }},
		{"|K − true|", func(j score) float64 { return j.Off }},
		{"CPU s", func(j score) float64 { return j.Seconds }},
	}
	setNumbers  = []number{agreementNumbers[0], {"K", func(j score) float64 { return j.K }}}
	kindNumbers = []number{agreementNumbers[0], agreementNumbers[2]}
)

// atOnce scripts run in parallel, each on setsAtOnce sets.
const (
	atOnce     = 2
	setsAtOnce = 8
)

// run computes the table.
func (b benchmark) run(s *sheet) error {
	s.table = &table.Table{ID: b.id, Title: b.title, Caption: b.shows, Spread: "standard error over sets"}
	sets, err := b.load(s)
	if err != nil {
		return err
	}
	for i := range sets {
		if sets[i], err = sets[i].Standardized(); err != nil {
			return err
		}
	}
	all, versions, err := s.rivals(sets)
	if err != nil {
		return err
	}
	most := []int{0}
	if b.bounded {
		most = append(most, rivals.MostClusters)
	}
	var ours []scores
	for _, most := range most {
		v, err := s.mixtureScores(most, sets)
		if err != nil {
			return err
		}
		ours = append(ours, v)
	}
	s.addCells(b.groups(sets), slices.Concat(all, ours))
	s.addProfile(sets, slices.Concat(ours, all))
	s.addNotes(b.about, versions, all)
	return nil
}

// rivals scores all rivals on standardized sets.
func (s *sheet) rivals(sets []tablesets.Set) (all []scores, versions []string, err error) {
	answers := map[*rivals.Script]rivals.Answers{}
	for _, script := range []*rivals.Script{rivals.R, rivals.Python} {
		if answers[script], err = s.answers(script, sets); err != nil {
			return nil, nil, err
		}
		versions = append(versions, answers[script].Versions)
	}
	for _, r := range rivals.All {
		v := scores{name: r.Name}
		for i, set := range sets {
			answer := answers[r.Script].Results[i][r.ID]
			j, err := scoreLabels(set.Labels, answer.Labels)
			if err != nil {
				return nil, nil, fmt.Errorf("%s on %s: %w", r.Name, set.Name, err)
			}
			j.Seconds, j.Fault = answer.Seconds, answer.Fault
			v.of = append(v.of, j)
		}
		all = append(all, v)
	}
	return all, versions, nil
}

// scoreLabels compares labels with the given ones. All rivals.Noise is one cluster in ARI and NMI, and does not count
// in K.
func scoreLabels(truth, labels []int32) (score, error) {
	j := score{K: float64(metrics.Clusters(labels))}
	if slices.Contains(labels, rivals.Noise) {
		j.K = max(j.K-1, 1)
	}
	j.Off = math.Abs(j.K - float64(metrics.Clusters(truth)))
	var errs [2]error
	j.ARI, errs[0] = metrics.ARI(truth, labels)
	j.NMI, errs[1] = metrics.NMI(truth, labels)
	return j, errors.Join(errs[:]...)
}

// answers runs a script on sets, a few at a time, or returns cached results.
func (s *sheet) answers(script *rivals.Script, sets []tablesets.Set) (all rivals.Answers, err error) {
	chunks := slices.Collect(slices.Chunk(sets, setsAtOnce))
	parts := make([]rivals.Answers, len(chunks))
	var done atomic.Int64
	group, ctx := errgroup.WithContext(s.ctx)
	group.SetLimit(atOnce)
	for i, chunk := range chunks {
		group.Go(func() (err error) {
			run := func() (rivals.Answers, error) { return script.Run(ctx, chunk) }
			if parts[i], err = cached.Value(s.dir, script.Key(chunk), run); err != nil {
				return err
			}
			s.say("rivals in %s: %d of %d sets", script.Language.Name, done.Add(int64(len(chunk))), len(sets))
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return all, err
	}
	for _, part := range parts {
		all.Versions = part.Versions
		all.Results = append(all.Results, part.Results...)
	}
	return all, nil
}
