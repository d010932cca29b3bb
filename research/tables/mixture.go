package main

import (
	"time"

	"github.com/gfncp/gfncp/clustering"
	tables "github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/cputime"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

// mixtureVersion is part of the key of answers that are kept: raise it with every change of what clustering.Table
// finds.
const mixtureVersion = 21

// mixtureTable is the column of what needs no network.
const mixtureTable = "gfncp"

// smokeTime ends the sampling of a set at scale smoke.
const smokeTime = 5 * time.Second

// mixtureScores clusters the sets by the posterior of tables.
func (s *sheet) mixtureScores(sets []tablesets.Set) scores {
	v := s.ownScores(mixtureTable, sets, s.mixtureAnswer)
	unsettled := 0
	for _, j := range v.of {
		if j != nil && j.own.Unsettled {
			unsettled++
		}
	}
	s.table.Note(`%s: no network and no training, but what gfncp cluster does: four chains on the posterior of a mixture of t
		distributions with an unknown K, until they agree or a budget of work is over. On %d of %d sets the chains did not
		agree. Rows in none of its clusters count as HDBSCAN's noise does.`, mixtureTable, unsettled, len(sets))
	return v
}

// mixtureAnswer clusters a set as `gfncp cluster` does, or returns what an earlier call kept.
func (s *sheet) mixtureAnswer(set tablesets.Set) (a ownAnswer, err error) {
	o := clustering.DefaultOptions()
	o.CoClustering = true
	if s.smoke {
		o.Time = smokeTime
	}
	key := []any{"mixture", mixtureVersion, o.Seed, o.Samples, o.Time, set}
	return cached.Value(s.dir, key, func() (ownAnswer, error) {
		s.say("%s: %s", mixtureTable, set.Name)
		start := cputime.Process()
		r, err := clustering.Table(s.ctx, tables.Matrix(set.X, set.D), o)
		if err != nil {
			return a, err
		}
		a.Labels, a.Seconds, a.Unsettled = r.Labels, cputime.Process()-start, !r.Chains.Agree
		a.Bins, err = reliabilityOf(r.CoClustering, set.Labels)
		return a, err
	})
}
