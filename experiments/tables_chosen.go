package experiments

import "github.com/gfncp/gfncp/experiments/tablesets"

// chosenTable is the column of what `gfncp cluster` takes by itself.
const chosenTable = "gfncp, by evidence"

// chosenTables takes of each set what exact sampling found where it explains the points
// (clustering.Refinement.Explains), and else what the model found, whose seconds then come on top. Sets that the model
// does not take are left out.
func (s *sheet) chosenTables(sets []tablesets.Set, network, exact verdicts) verdicts {
	v := verdicts{
		name: chosenTable, of: make([]*judged, len(sets)), own: make([]*tableAnswer, len(sets)), err: errNotComputed,
	}
	taken, all := 0, 0
	for i := range sets {
		from, seconds := network, 0.0
		switch {
		case network.of[i] == nil:
			continue
		case exact.of[i] == nil:
		case exact.own[i].Explains:
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
		s.note(`%s: %s where its chains agree, its samples are alike and its own check finds no misfit, on %d of the %d
			sets; %s on the others, after exact sampling was tried, whose seconds count. That is what gfncp cluster does,
			but that it also weighs round clusters of one width for points of the plane.`, chosenTable, exactTable, taken,
			all, network.name)
	}
	return v
}
