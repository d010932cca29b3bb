package mixture

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/usererr"
)

// knowledge is what the user says of the clusters. Rows that must be together are one unit, whose label is drawn at
// once. A partition that contradicts it has probability zero; all else of the model stays as it is.
type knowledge struct {
	least, most int       // clusters
	limited     bool      // the user told their number: all clusters count, none is outlying rows
	counts      []float64 // [n], how many rows each row stands for
	total       float64   // of counts
	weighted    bool      // some count is not 1
	leader      []int32   // [n], the first row of the row's unit
	unitOf      []int32   // [n], index into units; −1 for a row with weight that is free to go anywhere
	units       []unit    // of several rows, or apart from others, or without weight
	apart       bool      // some units are apart
	labels      []int32   // [units], labels that keep all apart
}

// unit is rows that are together.
type unit struct {
	rows  []int32 // rising
	count int     // of rows with weight
	apart []int32 // units that must be in other clusters, rising
}

// know returns what options tell of n rows, nil if nothing, or an error for what cannot be.
func (o *Options) know(n int) (*knowledge, error) {
	if err := o.validateKnowledge(n); err != nil {
		return nil, err
	}
	k := &knowledge{least: max(o.Least, 1), most: o.Most, counts: o.Weights, limited: o.Least+o.Most > 0}
	if k.most == 0 {
		k.most = mostComponents
	}
	if k.counts == nil {
		k.counts = slices.Repeat([]float64{1}, n)
	}
	for _, count := range k.counts {
		k.total += count
		k.weighted = k.weighted || count != 1
	}
	firsts := o.join(n, k)
	if err := o.separate(k, firsts); err != nil {
		return nil, err
	}
	if !k.limited && !k.weighted && len(k.units) == 0 {
		return nil, nil
	}
	return k, k.feasible(len(firsts))
}

// validateKnowledge demands lengths and ranges.
func (o *Options) validateKnowledge(n int) error {
	var faults usererr.Faults // the first says enough: there may be as many as rows
	faults.Demand(o.Least >= 0 && o.Least <= mostComponents, "least clusters", o.Least, "0 (free) to 60")
	faults.Demand(o.Most >= 0 && o.Most <= mostComponents, "most clusters", o.Most, "0 (free) to 60")
	faults.Demand(o.Most == 0 || o.Least <= o.Most, "least clusters", o.Least, "at most the most clusters")
	faults.Demand(o.Given == nil || len(o.Given) == n, "given labels", len(o.Given), "one for each row")
	faults.Demand(o.Weights == nil || len(o.Weights) == n, "weights", len(o.Weights), "one for each row")
	if i := slices.IndexFunc(o.Given, func(label int32) bool { return label < -1 }); i >= 0 {
		faults.Demand(false, fmt.Sprintf("given label of row %d", i+1), o.Given[i], "at least −1 (unknown)")
	}
	bad := func(weight float64) bool { return !(weight >= 0) || math.IsInf(weight, 1) }
	if i := slices.IndexFunc(o.Weights, bad); i >= 0 {
		faults.Demand(false, fmt.Sprintf("weight of row %d", i+1), o.Weights[i], "a count of rows, at least 0")
	}
	some := slices.ContainsFunc(o.Weights, func(weight float64) bool { return weight > 0 })
	faults.Demand(o.Weights == nil || some, "the largest weight", 0, "a count above 0")
	for _, pair := range slices.Concat(o.Together, o.Apart) {
		faults.Demand(min(pair[0], pair[1]) >= 0 && max(pair[0], pair[1]) < n, "pair of rows",
			[2]int{pair[0] + 1, pair[1] + 1}, fmt.Sprintf("rows 1 to %d", n))
	}
	if len(faults) > 0 {
		return faults[0]
	}
	return nil
}

// join fills the leaders, and returns the first row of each given label.
func (o *Options) join(n int, k *knowledge) (firsts []int32) {
	k.leader = make([]int32, n)
	for i := range k.leader {
		k.leader[i] = int32(i)
	}
	find := func(i int32) int32 {
		for k.leader[i] != i {
			k.leader[i] = k.leader[k.leader[i]]
			i = k.leader[i]
		}
		return i
	}
	unite := func(i, j int32) {
		i, j = find(i), find(j)
		k.leader[max(i, j)] = min(i, j)
	}
	for _, pair := range o.Together {
		unite(int32(pair[0]), int32(pair[1]))
	}
	first := map[int32]int32{}
	for i, label := range o.Given {
		if at, known := first[label]; known {
			unite(at, int32(i))
		} else if label >= 0 {
			first[label] = int32(i)
			firsts = append(firsts, int32(i))
		}
	}
	for i := range k.leader {
		k.leader[i] = find(int32(i))
	}
	return firsts
}

// separate lists the units that are not single rows without ties. Rows at firsts are apart from one another.
func (o *Options) separate(k *knowledge, firsts []int32) error {
	rows, apart := map[int32][]int32{}, map[int32][]int32{} // of leaders
	for i, leader := range k.leader {
		rows[leader] = append(rows[leader], int32(i))
	}
	bar := func(i, j int32) error {
		a, b := k.leader[i], k.leader[j]
		if a == b {
			return usererr.New("take one of both out", "rows %d and %d are to be apart, and together as well", i+1, j+1)
		}
		if k.weightless(rows[a]) || k.weightless(rows[b]) {
			return usererr.New("give both weight", "rows %d and %d are to be apart, but one has weight 0", i+1, j+1)
		}
		apart[a], apart[b] = append(apart[a], b), append(apart[b], a)
		k.apart = true
		return nil
	}
	for _, pair := range o.Apart {
		if err := bar(int32(pair[0]), int32(pair[1])); err != nil {
			return err
		}
	}
	for at, i := range firsts {
		for _, j := range firsts[:at] {
			if err := bar(j, i); err != nil {
				return err
			}
		}
	}
	k.unitOf = slices.Repeat([]int32{-1}, len(k.leader))
	for i, leader := range slices.Clone(k.leader) {
		if int(leader) != i || len(rows[leader]) == 1 && apart[leader] == nil && k.counts[i] > 0 {
			continue
		}
		k.add(rows[leader])
	}
	for leader, others := range apart {
		unit := &k.units[k.unitOf[leader]]
		for _, other := range others {
			unit.apart = append(unit.apart, k.unitOf[other])
		}
		slices.Sort(unit.apart)
		unit.apart = slices.Compact(unit.apart)
	}
	return nil
}

func (k *knowledge) weightless(rows []int32) bool {
	return !slices.ContainsFunc(rows, func(row int32) bool { return k.counts[row] > 0 })
}

// add makes rows a unit, led by its first row with weight: others are no members of clusters.
func (k *knowledge) add(rows []int32) {
	u := unit{rows: rows}
	leader := rows[max(0, slices.IndexFunc(rows, func(row int32) bool { return k.counts[row] > 0 }))]
	for _, row := range rows {
		k.unitOf[row], k.leader[row] = int32(len(k.units)), leader
		if k.counts[row] > 0 {
			u.count++
		}
	}
	k.units = append(k.units, u)
}

// feasible compares the units with the number of clusters; given is that of given labels.
func (k *knowledge) feasible(given int) error {
	units := 0
	for i, leader := range k.leader {
		if int(leader) == i && k.counts[i] > 0 {
			units++
		}
	}
	if units < k.least {
		return usererr.New("ask for fewer", "at least %d clusters of %d rows, those that are together counted as one",
			k.least, units)
	}
	if given > k.most {
		return usererr.New("allow more", "%d different labels are given, for at most %d clusters", given, k.most)
	}
	if k.labels = k.separated(nil); k.labels == nil {
		return usererr.New("allow more", "no %d clusters were found that keep all pairs apart", k.most)
	}
	return nil
}

// held returns the labels of rows that are together or apart, −1 for others.
func (k *knowledge) held(labels []int32) []int32 {
	held := slices.Repeat([]int32{-1}, len(labels))
	for u := range k.units {
		for _, row := range k.units[u].rows {
			if k.units[u].count > 0 {
				held[row] = labels[row]
			}
		}
	}
	return held
}

// mostClusters is the largest number of clusters.
func (r *rows) mostClusters() int {
	if r.known == nil {
		return mostComponents
	}
	return r.known.most
}

// set gives all rows of a unit one label.
func (u *unit) set(labels []int32, label int32) {
	for _, row := range u.rows {
		labels[row] = label
	}
}

// complete returns an error for a row with a missing cell that stands for several, whose cells would differ.
func (k *knowledge) complete(r *rows) error {
	for _, gap := range r.gaps {
		if count := k.counts[gap.row]; count != 0 && count != 1 {
			return usererr.New("give the row several times with weight 1", "row %d has a missing cell and weight %g",
				gap.row+1, count)
		}
	}
	return nil
}
