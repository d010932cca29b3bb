package mixture

import (
	"math/bits"
	"slices"
)

// separated returns labels of the units, wanted ones where they can be, that keep apart what is apart; nil if it finds
// none. Units with the fewest labels left come first (Brélaz 1979), which is exact for two clusters.
func (k *knowledge) separated(wanted []int32) []int32 {
	labels, taken := slices.Clone(wanted), make([]uint64, len(k.units)) // taken: labels of neighbours
	var open []int32
	for u := range k.units {
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
		free := ^taken[u] & (1<<k.mostClusters() - 1)
		if free == 0 {
			return nil
		}
		if free>>labels[u]&1 == 0 {
			labels[u] = int32(bits.TrailingZeros64(free))
		}
		for _, other := range k.units[u].apart {
			taken[other] |= 1 << labels[u]
		}
	}
	return labels
}

// mend changes labels [n] below most until all holds that is known: units take the label of their first row, what is
// apart is separated, and clusters that are missing take a unit each from the first clusters that have two.
func (k *knowledge) mend(labels []int32) {
	wanted := make([]int32, len(k.units))
	for u := range k.units {
		wanted[u] = labels[k.units[u].rows[0]]
	}
	if better := k.separated(wanted); better != nil {
		wanted = better
	} else {
		wanted = k.separated(make([]int32, len(k.units)))
	}
	for u := range k.units {
		k.units[u].set(labels, wanted[u])
	}
	var units [mostComponents]int // of each label
	occupied := 0
	for i, label := range labels {
		if k.leads(int32(i)) {
			if units[label]++; units[label] == 1 {
				occupied++
			}
		}
	}
	for i := 0; occupied < k.least; i++ {
		if !k.leads(int32(i)) || units[labels[i]] < 2 {
			continue
		}
		empty := slices.Index(units[:], 0)
		units[labels[i]]--
		units[empty]++
		occupied++
		if labels[i] = int32(empty); k.unit(int32(i)) >= 0 {
			k.units[k.unit(int32(i))].set(labels, int32(empty))
		}
	}
}

// held returns the labels of rows that are together or apart, −1 for others; nil if all are free.
func (k *knowledge) held(labels []int32) []int32 {
	if len(k.units) == 0 {
		return nil
	}
	held := slices.Repeat([]int32{-1}, len(labels))
	for _, u := range k.units {
		for _, row := range u.rows {
			held[row] = labels[row]
		}
	}
	return held
}
