package mixture

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/usererr"
)

// knowledge is what the user says of the clusters; its zero value says nothing. Rows that must be together are one
// unit, whose label is drawn at once. A partition that contradicts it has probability zero; all else of the model stays
// as it is, but for K, which is at most most.
type knowledge struct {
	least, most int       // clusters; 0 for free
	counts      []float64 // [n], how many rows each row stands for; nil if each stands for itself
	unitOf      []int32   // [n], index into units, −1 for a single row that may go anywhere; nil if all are such
	units       []unit
}

// unit is rows that are together, or one row that is apart from others.
type unit struct {
	rows  []int32 // rising
	apart []int32 // units that must be in other clusters, rising
}

// know returns what options tell of n rows, or an error for what cannot be.
func (o *Options) know(n int) (k knowledge, err error) {
	if err := o.validateKnowledge(n); err != nil {
		return k, err
	}
	k = knowledge{least: o.Least, most: o.Most, counts: o.Weights}
	together, apart, firsts := newSets(n), slices.Clone(o.Apart), map[int32]int{}
	for _, pair := range o.Together {
		together.join(pair[0], pair[1])
	}
	var given []int // the first row of each given label
	for i, label := range o.Given {
		if first, known := firsts[label]; known {
			together.join(first, i)
		} else if label >= 0 {
			for _, other := range given {
				apart = append(apart, [2]int{other, i})
			}
			firsts[label], given = i, append(given, i)
		}
	}
	if err := k.addUnits(together, apart); err != nil {
		return k, err
	}
	return k, k.feasible(n, len(given))
}

// validateKnowledge demands lengths and ranges. The first fault says enough: there may be as many as rows.
func (o *Options) validateKnowledge(n int) error {
	var faults usererr.Faults
	faults.Demand(o.Least >= 0 && o.Least <= mostComponents, "least clusters", o.Least, "0 (free) to 60")
	faults.Demand(o.Most >= 0 && o.Most <= mostComponents, "most clusters", o.Most, "0 (free) to 60")
	faults.Demand(o.Most == 0 || o.Least <= o.Most, "least clusters", o.Least, "at most the most clusters")
	faults.Demand(o.Given == nil || len(o.Given) == n, "given labels", len(o.Given), "one for each row")
	faults.Demand(o.Weights == nil || len(o.Weights) == n, "weights", len(o.Weights), "one for each row")
	if i := slices.IndexFunc(o.Given, func(label int32) bool { return label < -1 }); i >= 0 {
		faults.Demand(false, fmt.Sprintf("given label of row %d", i+1), o.Given[i], "at least −1 (unknown)")
	}
	bad := func(weight float64) bool { return !(weight > 0) || math.IsInf(weight, 1) }
	if i := slices.IndexFunc(o.Weights, bad); i >= 0 {
		faults.Demand(false, fmt.Sprintf("weight of row %d", i+1), o.Weights[i],
			"a count of rows above 0; leave the row out, and predict its cluster")
	}
	for _, pair := range slices.Concat(o.Together, o.Apart) {
		faults.Demand(min(pair[0], pair[1]) >= 0 && max(pair[0], pair[1]) < n, "pair of rows",
			[2]int{pair[0] + 1, pair[1] + 1}, fmt.Sprintf("rows 1 to %d", n))
	}
	if len(faults) > 0 {
		return faults[0]
	}
	return nil
}

// addUnits fills the units from sets of rows that are together and pairs of rows that are apart.
func (k *knowledge) addUnits(together sets, pairs [][2]int) error {
	apart, rows := map[int][]int{}, map[int][]int32{} // of the first row of each set
	for _, pair := range pairs {
		a, b := together.of(pair[0]), together.of(pair[1])
		if a == b {
			return usererr.New("take one of both out", "rows %d and %d are to be apart, and together as well",
				pair[0]+1, pair[1]+1)
		}
		apart[a], apart[b] = append(apart[a], b), append(apart[b], a)
	}
	for i := range together {
		rows[together.of(i)] = append(rows[together.of(i)], int32(i))
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

// feasible compares the units of n rows with the number of clusters; given is that of given labels.
func (k *knowledge) feasible(n, given int) error {
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
	case k.separated(make([]int32, len(k.units))) == nil:
		return usererr.New("allow more", "no %d clusters were found that keep all pairs apart", k.mostClusters())
	}
	return nil
}

// sets are disjoint sets, each called by its smallest member.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (s sets) of(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(i, j int) {
	i, j = s.of(i), s.of(j)
	s[max(i, j)] = min(i, j)
}

// mostClusters is the largest number of clusters.
func (k *knowledge) mostClusters() int {
	if k.most == 0 {
		return mostComponents
	}
	return k.most
}

// limited tells whether the user told the number of clusters: then all count, and none is outlying rows.
func (k *knowledge) limited() bool { return k.least+k.most > 0 }

// constrained tells whether some partitions are not allowed.
func (k *knowledge) constrained() bool {
	return k.limited() || slices.ContainsFunc(k.units, func(u unit) bool { return len(u.apart) > 0 })
}

// count is how many rows row i stands for.
func (k *knowledge) count(i int32) float64 {
	if k.counts == nil {
		return 1
	}
	return k.counts[i]
}

// unit is the index of the unit of row i, −1 for a row that may go anywhere.
func (k *knowledge) unit(i int32) int32 {
	if k.unitOf == nil {
		return -1
	}
	return k.unitOf[i]
}

// leads tells whether row i is the first of the rows that are together with it.
func (k *knowledge) leads(i int32) bool {
	u := k.unit(i)
	return u < 0 || k.units[u].rows[0] == i
}

// clash tells whether some of the rows, which rise, must be apart.
func (k *knowledge) clash(rows []int32) bool {
	for _, row := range rows {
		u := k.unit(row)
		if u < 0 || !k.leads(row) {
			continue
		}
		for _, other := range k.units[u].apart {
			if _, found := slices.BinarySearch(rows, k.units[other].rows[0]); found {
				return true
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
