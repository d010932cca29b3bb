package mixture

import (
	"math/bits"
	"slices"
)

// separated returns labels of the units, wanted ones where they can be, that keep apart what is apart; nil if it finds
// none. Units with the fewest labels left come first (Brélaz 1979), which is exact for two clusters.
func (k *knowledge) separated(wanted []int32) []int32 {
	labels := make([]int32, len(k.units))
	taken := make([]uint64, len(k.units)) // by the labels of neighbours
	var open []int32
	for u := range k.units {
		if wanted != nil {
			labels[u] = wanted[u]
		}
		if len(k.units[u].apart) > 0 {
			open = append(open, int32(u))
		}
	}
	for len(open) > 0 {
		best := 0
		for at, u := range open {
			few, most := bits.OnesCount64(taken[u]), bits.OnesCount64(taken[open[best]])
			if few > most || few == most && len(k.units[u].apart) > len(k.units[open[best]].apart) {
				best = at
			}
		}
		u := open[best]
		open = slices.Delete(open, best, best+1)
		free := ^taken[u] & (1<<k.most - 1)
		if free == 0 {
			return nil
		}
		if wanted == nil || free>>labels[u]&1 == 0 {
			labels[u] = int32(bits.TrailingZeros64(free))
		}
		for _, other := range k.units[u].apart {
			taken[other] |= 1 << labels[u]
		}
	}
	return labels
}

// mend changes labels [n] below most until all holds that is known.
func (k *knowledge) mend(labels []int32) {
	wanted := make([]int32, len(k.units))
	for u := range k.units {
		var votes [mostComponents]int
		for _, row := range k.units[u].rows {
			votes[labels[row]]++
			if votes[labels[row]] > votes[wanted[u]] {
				wanted[u] = labels[row]
			}
		}
	}
	if wanted = k.separated(wanted); wanted == nil {
		wanted = k.labels
	}
	for u := range k.units {
		k.units[u].set(labels, wanted[u])
	}
	var members [mostComponents][]int32 // leaders with weight
	occupied, some := 0, 0
	for i, leader := range k.leader {
		if int(leader) == i && k.counts[i] > 0 {
			if members[labels[i]] = append(members[labels[i]], leader); len(members[labels[i]]) == 1 {
				occupied++
			}
			some = i
		}
	}
	for empty := 0; occupied < k.least; empty++ {
		if len(members[empty]) > 0 {
			continue
		}
		largest := 0
		for at := range members {
			if len(members[at]) > len(members[largest]) {
				largest = at
			}
		}
		last := len(members[largest]) - 1
		row := members[largest][last]
		members[empty], members[largest] = append(members[empty], row), members[largest][:last]
		labels[row] = int32(empty)
		if u := k.unitOf[row]; u >= 0 {
			k.units[u].set(labels, int32(empty))
		}
		occupied++
	}
	for u := range k.units {
		if k.units[u].count == 0 { // goes where others are
			k.units[u].set(labels, labels[some])
		}
	}
}
