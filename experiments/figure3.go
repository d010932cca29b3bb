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

// figure3 shows what GFNCP is uncertain about, on one set of clothes.
var figure3 = Experiment{
	ID: "figure3", Title: figure3Title, Section: "5",
	Shows:  "what the model is uncertain about",
	Built:  "the three most probable clusterings of a set of 20 Fashion-MNIST test images under GFNCP, with their probabilities in one order and over many",
	Expect: "small: from shipped weights about a minute on 2 cores; smoke: seconds",
	run:    runFigure3,
	configs: func(s Scale) []NamedConfig {
		return []NamedConfig{{warmGFNCP.Name, s.config(fashionData, warmGFNCP, 0)}}
	},
}

const figure3Title = "Three most probable clusterings of images"

// topSize is the number of sets among which one is chosen, of samples of each, and of random orders of the chosen one.
func (s Scale) topSize() (sets, samples, orders int) {
	switch s {
	case Smoke:
		return 3, 40, 10
	case Small:
		return 20, 1000, 100
	}
	return 20, 10000, 500
}

// topData are sets of 20 test images in three to five classes.
func (s Scale) topData() data.Config {
	c := s.test(fashionData, 0).Data
	c.NMin, c.NMax, c.MinK, c.MaxK = galleryPoints, galleryPoints, 3, 5
	return c
}

func runFigure3(ctx context.Context, lab *Lab) (*Product, error) {
	p := &Product{Table: &table.Table{
		ID: "figure3", Title: figure3Title, Provenance: lab.Provenance, Footnotes: figure3Notes(lab),
		Caption: "the three most probable clusterings of a set of 20 Fashion-MNIST test images under GFNCP",
	}}
	found, from, err := lab.topClusterings(ctx)
	if errors.Is(err, train.ErrInterrupted) {
		return nil, err
	}
	p.Table.Cells = topCells(lab, found, from, err)
	if errors.Is(err, sources.ErrMissing) {
		p.Table.Footnotes = append(p.Table.Footnotes, missingNote(fashionData))
	}
	if err != nil {
		if errors.Is(err, errNotTrained) || errors.Is(err, errLeftOut) {
			err = nil
		}
		return p, err
	}
	picture, err := topPicture(lab.Scale.topData(), found, from.name)
	if err != nil {
		return nil, err
	}
	p.Figures = []table.Figure{{
		Name: "top3", Picture: picture,
		Caption: fmt.Sprintf("The three most probable of %d sampled clusterings of 20 Fashion-MNIST test images under %s, with their probability in the set's own order.", found.Samples, from.name),
	}}
	return p, nil
}

// topNumbers are what the table says of each of the three clusterings.
var topNumbers = []struct {
	name  string
	value func(t topClustering, samples int) float64
}{
	{"p", func(t topClustering, _ int) float64 { return t.P }},
	{"share of samples", func(t topClustering, samples int) float64 { return float64(t.Count) / float64(samples) }},
	{"mean p of orders", func(t topClustering, _ int) float64 { return t.OrdersP }},
	{"SD of p of orders", func(t topClustering, _ int) float64 { return t.OrdersSD }},
	{"clusters", func(t topClustering, _ int) float64 { return float64(clusters(t.Labels)) }},
	{"images moved", func(t topClustering, _ int) float64 { return float64(t.Moved) }},
	{"ARI", func(t topClustering, _ int) float64 { return t.ARI }},
}

// topCells are the numbers of the three clusterings, and the means over all sets; with an error, cells without values.
func topCells(lab *Lab, found topSet, from origin, err error) (cells []table.Cell) {
	where := "the chosen set"
	for _, n := range topNumbers {
		for i, name := range topNames {
			cell := table.Cell{Data: where, Model: name, Metric: n.name}
			if err == nil && i >= len(found.Top) {
				cell.Note = "not drawn"
				cells = append(cells, cell)
				continue
			}
			value := 0.0
			if err == nil {
				value = n.value(found.Top[i], found.Samples)
			}
			fillSingle(&cell, lab, value, 1, from, err)
			cells = append(cells, cell)
		}
	}
	sets, _, _ := lab.Scale.topSize()
	for i, name := range topNames {
		cell := table.Cell{Data: fmt.Sprintf("%d sets", sets), Model: name, Metric: "p"}
		fillSingle(&cell, lab, found.MeanP[i], sets, from, err)
		cells = append(cells, cell)
	}
	for i, value := range []float64{found.Others, found.Last} {
		cell := table.Cell{Data: fmt.Sprintf("%d sets", sets), Model: topNames[0], Metric: undecidedNames[i]}
		fillSingle(&cell, lab, value, sets, from, err)
		cells = append(cells, cell)
	}
	return cells
}

// undecidedNames and undecidedNote say what gallerySet.undecided is, in figures 3 and 4.
var undecidedNames = [2]string{"undecided", "undecided, last"}

const undecidedNote = "entropy of a decision as a share of the largest that its choices allow, mean over the decisions but the last, and of the last alone; at 1 the image is put anywhere at random. The last decision takes its energies as they are, and the Reg term of the objective draws all of them to 0 (`gfncp reproduce fixed-point`)."

func figure3Notes(lab *Lab) []string {
	sets, samples, orders := lab.Scale.topSize()
	return append([]string{
		fmt.Sprintf("Of the first %d sets of 20 test images in 3 to 5 classes (CRP(1), a fixed seed), the one is shown whose third clustering is the most probable; nobody chose it by eye. The last rows are means over all of these sets.", sets),
		fmt.Sprintf("The three are the most probable of %d clusterings sampled in the set's own order. p is the model's own p(c|x) in that order, share of samples how often it was drawn.", samples),
		fmt.Sprintf("p depends on the order in which the points are met: mean and standard deviation are over %d random orders, the same for all three.", orders),
		"Images moved: those in another cluster than in (a), once clusters are matched one to one so that the fewest move. ARI is with the true classes.",
		"Undecided, along (a): " + undecidedNote,
	}, lab.changes()...)
}
