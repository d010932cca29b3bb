package experiments

import (
	"math"

	"github.com/gfncp/gfncp/experiments/tablesets"
)

// chosenTable is the column of what `gfncp cluster` takes by itself.
const chosenTable = "gfncp, by evidence"

// chosenTables takes of each set what exact sampling found where it explains the points
// (clustering.Refinement.Explains), or would if its chains agreed and there are more points than the model was trained
// on, and else what the model found, whose seconds then come on top. Sets that the model does not take are left out.
func (s *sheet) chosenTables(sets []tablesets.Set, network, exact verdicts) verdicts {
	v := verdicts{
		name: chosenTable, of: make([]*judged, len(sets)), own: make([]*tableAnswer, len(sets)), err: errNotComputed,
	}
	taken, all, most := 0, 0, s.tablesMost()
	for i, set := range sets {
		from, seconds := network, 0.0
		switch {
		case network.of[i] == nil:
			continue
		case exact.of[i] == nil:
		case exact.own[i].Explains, exact.own[i].Describes && set.N() > most:
			from = exact
			taken++
		default:
			seconds = exact.of[i].Seconds
		}
		j, own := *from.of[i], *from.own[i]
		j.Seconds += seconds
		own.LogProb = nil // the network's alone
		v.of[i], v.own[i], v.err = &j, &own, nil
		all++
	}
	if v.err == nil {
		s.note(`%s: %s where its chains agree (or the set has more than %d points, which is as many as %s was trained on),
			its samples are alike and its own check finds no misfit, on %d of the %d sets; %[4]s on the others, after exact
			sampling was tried, whose seconds count. That is what gfncp cluster does, but that it also weighs round clusters
			of one width for points of the plane.`, chosenTable, exactTable, most, network.name, taken, all)
	}
	return v
}

// tablesMost is the most points of a set that the model of tables was trained on.
func (s *sheet) tablesMost() int {
	if m := s.tablesModel(); m != nil {
		return m.Config.Data.NMax
	}
	return math.MaxInt
}
