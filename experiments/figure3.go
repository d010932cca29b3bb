package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
)

// figure3 shows what GFNCP is uncertain about, on one set of clothes.
var figure3 = Experiment{
	ID: "figure3", Title: "Three most probable clusterings of images", Section: "5",
	Shows: "what the model is uncertain about",
	Built: "the three most probable clusterings of a set of 20 Fashion-MNIST test images under GFNCP, with their " +
		"probabilities in one order and over many",
	Expect:  "small: from shipped weights about a minute on 2 cores; smoke: seconds",
	caption: "the three most probable clusterings of a set of 20 Fashion-MNIST test images under GFNCP",
	configs: grid{sets: on(fashionData), methods: []method{warmGFNCP}}.configs,
	run:     runFigure3,
}

// topSize is the number of sets among which one is chosen, of samples of each, and of random orders of the chosen one.
type topSize struct{ sets, samples, orders int }

func (s Scale) topSize() topSize {
	return at(s, topSize{3, 40, 10}, topSize{20, 1000, 100}, topSize{20, 10000, 500})
}

// topData are sets of 20 test images in three to five classes.
func (s Scale) topData() data.Config {
	c := s.test(fashionData, 0).Data
	c.NMin, c.NMax, c.MinK, c.MaxK = galleryPoints, galleryPoints, 3, 5
	return c
}

func runFigure3(s *sheet) error {
	figure3Notes(s)
	top := topClusterings(s)
	addTop(s, top)
	if top.err != nil {
		return nil
	}
	picture, err := topPicture(s.Scale.topData(), top.value, top.model)
	s.Figures = []table.Figure{{
		Name: "top3", Picture: picture,
		Caption: fmt.Sprintf("The three most probable of %d sampled clusterings of 20 Fashion-MNIST test images under %s, "+
			"with their probability in the set's own order.", top.value.Samples, top.model),
	}}
	return err
}

// topNumbers are what the table says of each of the three clusterings.
var topNumbers = []number[topClustering]{
	{"p", func(t topClustering) float64 { return t.P }},
	{"share of samples", func(t topClustering) float64 { return float64(t.Count) / float64(t.samples) }},
	{"mean p of orders", func(t topClustering) float64 { return t.OrdersP }},
	{"SD of p of orders", func(t topClustering) float64 { return t.OrdersSD }},
	{"clusters", func(t topClustering) float64 { return float64(metrics.Clusters(t.Labels)) }},
	{"images moved", func(t topClustering) float64 { return float64(t.Moved) }},
	{"ARI", func(t topClustering) float64 { return t.ARI }},
}

// addTop adds the numbers of the three clusterings, and the means over all sets; with an error, cells without values.
func addTop(s *sheet, top found[topSet]) {
	for _, n := range topNumbers {
		for i, name := range topNames {
			one := found[topClustering]{model: top.model, err: top.err}
			cell := table.Cell{Data: "the chosen set", Model: name, Metric: n.name}
			switch {
			case i < len(top.value.Top):
				one.value = top.value.Top[i]
				one.value.samples = top.value.Samples
			case top.err == nil:
				cell.Note = "not drawn"
				s.Table.Cells = append(s.Table.Cells, cell)
				continue
			}
			n.add(s, cell, one, 1)
		}
	}
	sets := s.Scale.topSize().sets
	where := fmt.Sprintf("%d sets", sets)
	for i, name := range topNames {
		p := number[topSet]{"p", func(t topSet) float64 { return t.MeanP[i] }}
		p.add(s, table.Cell{Data: where, Model: name}, top, sets)
	}
	for _, n := range []number[topSet]{
		{undecidedNames[0], func(t topSet) float64 { return t.Others }},
		{undecidedNames[1], func(t topSet) float64 { return t.Last }},
	} {
		n.add(s, table.Cell{Data: where, Model: topNames[0]}, top, sets)
	}
}

// undecidedNames and undecidedNote say what gallerySet.undecided is, in figures 3 and 4.
var undecidedNames = [2]string{"undecided", "undecided, last"}

const undecidedNote = "entropy of a decision as a share of the largest that its choices allow, mean over the decisions but " +
	"the last, and of the last alone; at 1 the image is put anywhere at random. The last decision takes its energies as they " +
	"are, and the Reg term of the objective draws all of them to 0 (`gfncp reproduce fixed-point`)."

func figure3Notes(s *sheet) {
	size := s.Scale.topSize()
	s.note(`Of the first %d sets of 20 test images in 3 to 5 classes (CRP(1), a fixed seed), the one is shown whose third
		clustering is the most probable; nobody chose it by eye. The last rows are means over all of these sets.

		The three are the most probable of %d clusterings sampled in the set's own order. p is the model's own p(c|x) in that
		order, share of samples how often it was drawn.

		p depends on the order in which the points are met: mean and standard deviation are over %d random orders, the same for
		all three.

		Images moved: those in another cluster than in (a), once clusters are matched one to one so that the fewest move. ARI is
		with the true classes.

		Undecided, along (a): %s`, size.sets, size.samples, size.orders, undecidedNote)
}
