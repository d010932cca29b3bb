package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/experiments/tablesets"
	"github.com/gfncp/gfncp/internal/cputime"
	"github.com/gfncp/gfncp/internal/usererr"
)

// exactTable is the column of what needs no network.
const exactTable = "gfncp exact"

// smokeSweeps are those of a chain at scale smoke; else the chains go on until they agree, as far as the default goes.
const smokeSweeps = "200"

// exactTables clusters the sets by exact sampling of Gaussian clusters.
func (s *sheet) exactTables(sets []tablesets.Set) verdicts {
	v := s.ownVerdicts(exactTable, sets, s.exactAnswer)
	computed, unsettled := 0, 0
	for _, a := range v.own {
		if a != nil {
			computed++
		}
		if a != nil && a.Unsettled {
			unsettled++
		}
	}
	if computed == 0 {
		return v
	}
	how := "until they agree, or as far as the default goes"
	if s.Scale == Smoke {
		how = fmt.Sprintf("of %s sweeps (scale smoke)", smokeSweeps)
	}
	s.note(`%s: no network and no training, but four chains on the posterior of Gaussian clusters that differ in at most %d
		directions, α log-uniform in 0.3–3, %s; pieces of clusters that are no Gaussians joined; the partition of least
		expected VI. On %d of %d sets the chains did not agree yet.`, exactTable, clustering.MaxComponents, how, unsettled, computed)
	return v
}

// exactAnswer clusters a set as ClusterExactly does, or returns what an earlier call kept. A set beyond its limits is
// told and not computed.
func (s *sheet) exactAnswer(set tablesets.Set) (a tableAnswer, err error) {
	dir, err := s.tablesDir()
	if err != nil {
		return a, err
	}
	o := tableOptions(set)
	if s.Scale == Smoke {
		o.Refine = smokeSweeps
	}
	a, err = kept(dir, exactKey(clustering.ExactVersion, o, set), func() (tableAnswer, error) {
		s.say("%s: %s", exactTable, set.Name)
		return s.exactCluster(set, o)
	})
	if usererr.Is(err) {
		s.note("%s: not computed on %s: %v.", exactTable, set.Name, err)
		return a, errNotComputed
	}
	return a, err
}

// exactKey is what an answer depends on.
func exactKey(version int, o clustering.Options, set tablesets.Set) []any {
	return []any{"exact", version, optionsKey(o), set}
}

func (s *sheet) exactCluster(set tablesets.Set, o clustering.Options) (a tableAnswer, err error) {
	start := cputime.Process()
	r, err := clustering.Exact(s.ctx, set.X, set.N(), set.D, o)
	if err != nil {
		return a, err
	}
	a.Labels, a.Seconds, a.Unsettled = r.Labels, cputime.Process()-start, !r.Refinement.Agrees()
	_, a.Explains = r.Refinement.Explains()
	_, a.Describes = r.Refinement.Unsettled()
	a.Bins, err = reliabilityOf(r.CoClustering, set.Labels)
	return a, err
}
