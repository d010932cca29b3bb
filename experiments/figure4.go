package experiments

import (
	"cmp"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/report/table"
)

// figure4 shows what another order of the data does to the most likely clustering.
var figure4 = Experiment{
	ID: "figure4", Title: "Clusterings under two data orders", Section: "5.3",
	Shows: "whether the most likely clustering of a set depends on the order of its points, seen on one set and counted over many",
	Built: "GFNCP and NCP on sets of 20 MNIST test images in two orders: shares over all sets, and the first set of each kind " +
		"as a picture",
	Expect:  "small: from shipped weights about 3 minutes on 2 cores; smoke: seconds",
	caption: "how often the most likely clustering of 20 MNIST test images is the same in two orders",
	configs: grid{sets: on(mnistData), methods: figure4Methods}.configs,
	run:     runFigure4,
}

// figure4Methods are compared, in this order.
var figure4Methods = []method{warmGFNCP, ncp}

// twoOrdersSize is the number of sets, and of samples of each in each order.
func (s Scale) twoOrdersSize() (sets, samples int) {
	switch s {
	case Smoke:
		return 4, 10
	case Small:
		return 100, 100
	}
	return 1000, 100
}

// twoOrdersData are sets of 20 test images.
func (s Scale) twoOrdersData() data.Config {
	c := s.test(mnistData, 0).Data
	c.NMin, c.NMax = galleryPoints, galleryPoints
	return c
}

// twoOrders is what a method does on all sets, or why there is nothing.
type twoOrders struct {
	from[[]twoOrdersSet]
	err error
}

func runFigure4(s *sheet) (err error) {
	figure4Notes(s)
	found, complete := map[method]twoOrders{}, true
	for _, m := range figure4Methods {
		var r twoOrders
		r.from, r.err = attempt(s, mnistData, m, func() (from[[]twoOrdersSet], error) { return inTwoOrders(s, m) })
		found[m], complete = r, complete && r.err == nil
	}
	addTwoOrders(s, found)
	if complete {
		s.Figures, err = twoOrdersFigures(s.Scale.twoOrdersData(), found)
	}
	return err
}

// twoOrdersNumbers are what the table says of a method: a number of each set, averaged.
var twoOrdersNumbers = []struct {
	name  string
	value func(s twoOrdersSet) float64
}{
	{"same clustering", func(s twoOrdersSet) float64 { return asShare(s.same()) }},
	{"same but last", func(s twoOrdersSet) float64 { return asShare(s.sameBefore()) }},
	{"same, greedy", func(s twoOrdersSet) float64 { return asShare(s.GreedySame) }},
	{"ARI of the two", func(s twoOrdersSet) float64 { return s.ARI }},
	{"images moved", func(s twoOrdersSet) float64 { return float64(s.Moved) }},
	{undecidedNames[0], func(s twoOrdersSet) float64 { return s.Others }},
	{undecidedNames[1], func(s twoOrdersSet) float64 { return s.Last }},
}

// asShare is 1 for true.
func asShare(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func addTwoOrders(s *sheet, found map[method]twoOrders) {
	sets, _ := s.Scale.twoOrdersSize()
	add := func(m method, metric string, value float64, err error) {
		cell := table.Cell{Data: fmt.Sprintf("MNIST, %d sets", sets), Model: m.Name, Metric: metric}
		s.one(cell, value, sets, found[m].origin, err)
	}
	for _, n := range twoOrdersNumbers {
		for _, m := range figure4Methods {
			mean := 0.0
			for _, one := range found[m].value {
				mean += n.value(one) / float64(sets)
			}
			add(m, n.name, mean, found[m].err)
		}
	}
	for i, m := range figure4Methods { // needs both
		other := found[figure4Methods[1-i]]
		err := cmp.Or(found[m].err, other.err)
		alone := 0.0
		if err == nil {
			alone = float64(len(dependsAlone(found[m].value, other.value))) / float64(sets)
		}
		add(m, "differs alone", alone, err)
	}
}

// dependsAlone lists the sets on which the first method's clustering depends on the order and the second's does not.
func dependsAlone(first, second []twoOrdersSet) (numbers []int) {
	for i := range first {
		if !first[i].same() && second[i].same() {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

func figure4Notes(s *sheet) {
	_, samples := s.Scale.twoOrdersSize()
	s.note(`Sets: 20 MNIST test images, CRP(1), K ≥ 2. Order A is the set's own, order B a random one; both models meet the same.

		Most likely clustering: for each model, %d samples, a beam of %d and the greedy clustering under each order give the
		candidates, the %d most probable of each order, and the one with the highest p(c|x) under an order is its answer for
		that order. Both orders choose among the same candidates, so a difference is the model's and not the search's.

		Same but last: equal once the two images that are met last in order A and in order B are left out. Same, greedy: the two
		greedy clusterings are equal. ARI of the two, images moved: between the answers for the two orders; images move where
		they leave their cluster, once clusters are matched one to one so that the fewest do. Differs alone: share of sets on
		which this model's answer depends on the order and the other's does not.

		Undecided, along the answer for order A: %s

		The pictures show the first set on which only NCP's answer depends on the order, as the paper's figure does, and the
		first on which only GFNCP's does; how often each happens is in the table.`, samples, beamWidth, shortlist, undecidedNote)
}
