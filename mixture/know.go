package mixture

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/mixture/em"
)

// knowledge is the user's prior knowledge about the clusters; the zero value is no knowledge. Rows that must be
// together are one unit and share a label. A partition that contradicts the knowledge has probability zero, and K is at
// most most.
type knowledge struct {
	least, most int     // clusters; 0 for free
	unitOf      []int32 // [n], index into units, −1 for a single row that may go anywhere; nil without units
	units       []unit
}

// unit is a set of rows that must be together, or one row that must be apart from others.
type unit struct {
	rows  []int32 // rising
	apart []int32 // units that must be in other clusters, rising
}

// know returns what the options say about n rows, or an error if that is impossible.
func (o *Options) know(n int) (k knowledge, err error) {
	if err := o.validateKnowledge(n); err != nil {
		return k, err
	}
	k = knowledge{least: o.Least, most: o.Most}
	together, apart, firsts := em.Sets(em.UpTo(0, n)), slices.Clone(o.Apart), map[int32]int{}
	for _, pair := range o.Together {
		together.Join(pair[0], pair[1])
	}
	var given []int // the first row of each given label
	for i, label := range o.Given {
		if first, known := firsts[label]; known {
			together.Join(first, i)
		} else if label >= 0 {
			for _, other := range given {
				apart = append(apart, [2]int{other, i})
			}
			firsts[label], given = i, append(given, i)
		}
	}
	if err := k.addUnits(together, apart, o.rowName); err != nil {
		return k, err
	}
	return k, k.feasible(n, len(given), o.rowName)
}

const mostRepeated = 1e6 // largest sum of weights

// validateKnowledge checks lengths and ranges. It returns the first fault, as every row may have one.
func (o *Options) validateKnowledge(n int) error {
	pairs := slices.Concat(o.Together, o.Apart)
	outside := slices.IndexFunc(pairs, func(pair [2]int) bool {
		return min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= n
	})
	unknown := slices.IndexFunc(o.Given, func(label int32) bool { return label < -1 })
	switch total := floats.Sum(o.Weights); {
	case min(o.Least, o.Most) < 0 || max(o.Least, o.Most) > MostClusters:
		return usererr.Option("Least", fmt.Sprintf("use 0 (free) to %d", MostClusters),
			"is %d, and the most clusters %d", o.Least, o.Most)
	case o.Most > 0 && o.Least > o.Most:
		return usererr.Option("Least", "use at most as many", "is %d, but the most clusters are %d", o.Least, o.Most)
	case outside >= 0:
		return usererr.New(fmt.Sprintf("rows are 0 to %d", n-1), "rows that are together or apart hold the pair %v",
			pairs[outside])
	case o.Given != nil && len(o.Given) != n:
		return usererr.Option("Given", "give one for each row", "has %d values for %d rows", len(o.Given), n)
	case unknown >= 0:
		return usererr.Option("Given", "use −1 for unknown", "has label %d for %s", o.Given[unknown],
			o.rowName(unknown))
	case total > mostRepeated:
		return usererr.Option("Weights", "divide them", "have the sum %g, more than a million rows", total)
	}
	return nil
}

// addUnits fills the units from sets of rows that are together and pairs of rows that are apart.
func (k *knowledge) addUnits(together em.Sets, pairs [][2]int, name func(int) string) error {
	apart, rows := map[int][]int{}, map[int][]int32{} // by the first row of each set
	for _, pair := range pairs {
		a, b := together.Of(pair[0]), together.Of(pair[1])
		if a == b {
			return usererr.New("take one of both out", "%s and %s are to be apart, and together as well",
				name(pair[0]), name(pair[1]))
		}
		apart[a], apart[b] = append(apart[a], b), append(apart[b], a)
	}
	for i := range together {
		rows[together.Of(i)] = append(rows[together.Of(i)], int32(i))
	}
	k.unitOf = slices.Repeat([]int32{-1}, len(together))
	for i := range together {
		if len(rows[i]) > 1 || apart[i] != nil {
			for _, row := range rows[i] {
				k.unitOf[row] = int32(len(k.units))
			}
			k.units = append(k.units, unit{rows: rows[i]})
		}
	}
	for first, others := range apart {
		u := &k.units[k.unitOf[first]]
		for _, other := range others {
			u.apart = append(u.apart, k.unitOf[other])
		}
		slices.Sort(u.apart)
		u.apart = slices.Compact(u.apart)
	}
	return nil
}

// feasible returns an error if n rows cannot have the demanded number of clusters. given is the number of given labels.
func (k *knowledge) feasible(n, given int, name func(int) string) error {
	units := n
	for _, u := range k.units {
		units -= len(u.rows) - 1
	}
	switch {
	case units < k.least:
		return usererr.New("ask for fewer", "at least %d clusters of %d rows, those that are together counted as one",
			k.least, units)
	case given > k.mostClusters():
		return usererr.New("allow more", "%d different labels are given, for at most %d clusters", given,
			k.mostClusters())
	}
	if _, stuck := k.separated(make([]int32, len(k.units))); stuck >= 0 {
		u := &k.units[stuck]
		return usererr.New("allow more", "no partition into at most %s was found that keeps all pairs apart, such as "+
			"%s from %s", text.Count(k.mostClusters(), "cluster"), name(int(u.rows[0])),
			name(int(k.units[u.apart[0]].rows[0])))
	}
	return nil
}

// mostClusters returns the largest allowed number of clusters.
func (k *knowledge) mostClusters() int { return cmp.Or(k.most, MostClusters) }

// demands reports whether the user asks for at least two clusters. Then every cluster counts in K.
func (k *knowledge) demands() bool { return k.least > 1 }

// constrained reports whether some partitions are not allowed.
func (k *knowledge) constrained() bool {
	return k.least+k.most > 0 || slices.ContainsFunc(k.units, func(u unit) bool { return len(u.apart) > 0 })
}

// unit returns the index of the unit of row i, −1 for a row that may go anywhere.
func (k *knowledge) unit(i int32) int32 {
	if k.unitOf == nil {
		return -1
	}
	return k.unitOf[i]
}

// leads reports whether row i is the first row of its unit; a row that may go anywhere is a unit of its own.
func (k *knowledge) leads(i int32) bool {
	u := k.unit(i)
	return u < 0 || k.units[u].rows[0] == i
}

// clash reports whether some of the rows, which are sorted, must be apart.
func (k *knowledge) clash(rows []int32) bool {
	for _, row := range rows {
		if u := k.unit(row); u >= 0 {
			for _, other := range k.units[u].apart {
				if _, found := slices.BinarySearch(rows, k.units[other].rows[0]); found {
					return true
				}
			}
		}
	}
	return false
}

// set gives all rows of a unit one label.
func (u *unit) set(labels []int32, label int32) {
	for _, row := range u.rows {
		labels[row] = label
	}
}

// separated returns labels of the units that differ where units must be apart, and −1; if it finds none, the unit that
// has no label left. It keeps the wanted labels where it can. Units with the fewest labels left come first (Brélaz
// 1979), which is exact for two clusters.
func (k *knowledge) separated(wanted []int32) (labels []int32, stuck int32) {
	labels = slices.Clone(wanted)
	taken := make([]uint64, len(k.units)) // labels of neighbours
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
			return nil, u
		}
		if free>>labels[u]&1 == 0 {
			labels[u] = int32(bits.TrailingZeros64(free))
		}
		for _, other := range k.units[u].apart {
			taken[other] |= 1 << labels[u]
		}
	}
	return labels, -1
}

// mend changes labels [n], all below most, until they agree with the knowledge. Units take the label of their first
// row, and units that must be apart are separated. Then empty clusters take units from clusters of two or more.
func (k *knowledge) mend(labels []int32) {
	wanted := make([]int32, len(k.units))
	for u := range k.units {
		wanted[u] = labels[k.units[u].rows[0]]
	}
	better, stuck := k.separated(wanted)
	if stuck >= 0 {
		better, _ = k.separated(make([]int32, len(k.units)))
	}
	for u := range k.units {
		k.units[u].set(labels, better[u])
	}
	var units [MostClusters]int // of each label
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

// held returns the labels of the rows in units, −1 for other rows; nil if there are no units.
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
