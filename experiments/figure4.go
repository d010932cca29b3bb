package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// figure4 shows what another order of the data does to the most likely clustering.
var figure4 = Experiment{
	ID: "figure4", Title: figure4Title, Section: "5.3",
	Shows:  "whether the most likely clustering of a set depends on the order of its points, seen on one set and counted over many",
	Built:  "GFNCP and NCP on sets of 20 MNIST test images in two orders: shares over all sets, and the first set of each kind as a picture",
	Expect: "small: from shipped weights about 3 minutes on 2 cores; smoke: seconds",
	run:    runFigure4,
	configs: func(s Scale) (all []NamedConfig) {
		for _, m := range figure4Methods {
			all = append(all, NamedConfig{m.Name, s.config(mnistData, m, 0)})
		}
		return all
	},
}

const figure4Title = "Clusterings under two data orders"

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
	sets []twoOrdersSet
	from origin
	err  error
}

func runFigure4(ctx context.Context, lab *Lab) (*Product, error) {
	p := &Product{Table: &table.Table{
		ID: "figure4", Title: figure4Title, Provenance: lab.Provenance, Footnotes: figure4Notes(lab),
		Caption: "how often the most likely clustering of 20 MNIST test images is the same in two orders",
	}}
	c := lab.Scale.twoOrdersData()
	_, noData := sources.PoolOf(c)
	failed := noData
	found := map[method]twoOrders{}
	for _, m := range figure4Methods {
		r := twoOrders{err: noData}
		if !lab.wants(mnistData, m) {
			r.err = errLeftOut
		} else if noData == nil {
			r.sets, r.from, r.err = lab.inTwoOrders(ctx, m)
		}
		switch {
		case errors.Is(r.err, train.ErrInterrupted):
			return nil, r.err
		case noData == nil && r.err != nil && !errors.Is(r.err, errNotTrained) && !errors.Is(r.err, errLeftOut):
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.Name, r.err))
		}
		found[m] = r
	}
	p.Table.Cells = twoOrdersCells(lab, found)
	if errors.Is(noData, sources.ErrMissing) {
		p.Table.Footnotes = append(p.Table.Footnotes, missingNote(mnistData))
	}
	for _, m := range figure4Methods {
		if found[m].err != nil {
			return p, failed
		}
	}
	var err error
	p.Figures, err = twoOrdersFigures(c, found)
	return p, errors.Join(failed, err)
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

func twoOrdersCells(lab *Lab, found map[method]twoOrders) (cells []table.Cell) {
	sets, _ := lab.Scale.twoOrdersSize()
	where := fmt.Sprintf("MNIST, %d sets", sets)
	add := func(m method, metric string, value float64, err error) {
		cell := table.Cell{Data: where, Model: m.Name, Metric: metric}
		fillSingle(&cell, lab, value, sets, found[m].from, err)
		cells = append(cells, cell)
	}
	for _, n := range twoOrdersNumbers {
		for _, m := range figure4Methods {
			mean := 0.0
			for _, s := range found[m].sets {
				mean += n.value(s) / float64(sets)
			}
			add(m, n.name, mean, found[m].err)
		}
	}
	for i, m := range figure4Methods { // needs both
		other := found[figure4Methods[1-i]]
		err := found[m].err
		if err == nil {
			err = other.err
		}
		alone := 0.0
		if err == nil {
			alone = float64(len(dependsAlone(found[m].sets, other.sets))) / float64(sets)
		}
		add(m, "differs alone", alone, err)
	}
	return cells
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

func figure4Notes(lab *Lab) []string {
	_, samples := lab.Scale.twoOrdersSize()
	return append([]string{
		"Sets: 20 MNIST test images, CRP(1), K ≥ 2. Order A is the set's own, order B a random one; both models meet the same.",
		fmt.Sprintf("Most likely clustering: for each model, %d samples, a beam of %d and the greedy clustering under each order give the candidates, the %d most probable of each order, and the one with the highest p(c|x) under an order is its answer for that order. Both orders choose among the same candidates, so a difference is the model's and not the search's.", samples, beamWidth, shortlist),
		"Same but last: equal once the two images that are met last in order A and in order B are left out. Same, greedy: the two greedy clusterings are equal. ARI of the two, images moved: between the answers for the two orders; images move where they leave their cluster, once clusters are matched one to one so that the fewest do. Differs alone: share of sets on which this model's answer depends on the order and the other's does not.",
		"Undecided, along the answer for order A: " + undecidedNote,
		"The pictures show the first set on which only NCP's answer depends on the order, as the paper's figure does, and the first on which only GFNCP's does; how often each happens is in the table.",
	}, lab.changes()...)
}
