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

// twoOrdersSets is the number of sets; each is sampled twoOrdersSamples times in each order.
func (s Scale) twoOrdersSets() int { return at(s, 4, 100, 1000) }

func (s Scale) twoOrdersSamples() int { return at(s, 10, 100, 100) }

// twoOrdersData are sets of 20 test images.
func (s Scale) twoOrdersData() data.Config {
	c := s.test(mnistData, 0).Data
	c.NMin, c.NMax = galleryPoints, galleryPoints
	return c
}

// twoOrders is what the methods do on all sets.
type twoOrders map[method]found[[]twoOrdersSet]

func runFigure4(s *sheet) (err error) {
	figure4Notes(s)
	all, complete := twoOrders{}, true
	for _, m := range figure4Methods {
		all[m] = inTwoOrders(s, m)
		complete = complete && all[m].err == nil
	}
	addTwoOrders(s, all)
	if complete {
		s.Figures, err = twoOrdersFigures(s.Scale.twoOrdersData(), all)
	}
	return err
}

// twoOrdersNumbers are what the table says of a method: a number of each set, averaged.
var twoOrdersNumbers = []number[twoOrdersSet]{
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

func addTwoOrders(s *sheet, all twoOrders) {
	sets := s.Scale.twoOrdersSets()
	cell := func(m method) table.Cell { return table.Cell{Data: fmt.Sprintf("MNIST, %d sets", sets), Model: m.Name} }
	for _, n := range twoOrdersNumbers {
		mean := number[[]twoOrdersSet]{n.name, func(found []twoOrdersSet) (mean float64) {
			for _, one := range found {
				mean += n.of(one) / float64(sets)
			}
			return mean
		}}
		for _, m := range figure4Methods {
			mean.add(s, cell(m), all[m], sets)
		}
	}
	for i, m := range figure4Methods { // needs both
		this, other := all[m], all[figure4Methods[1-i]]
		this.err = cmp.Or(this.err, other.err)
		number[[]twoOrdersSet]{"differs alone", func(found []twoOrdersSet) float64 {
			return float64(len(dependsAlone(found, other.value))) / float64(sets)
		}}.add(s, cell(m), this, sets)
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
		first on which only GFNCP's does; how often each happens is in the table.`, s.Scale.twoOrdersSamples(), beamWidth, shortlist, undecidedNote)
}
