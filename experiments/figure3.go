package experiments

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

var figure3 = Experiment{
	ID: "figure3", Title: "Three most probable clusterings of images", Section: "5",
	Shows: "what the model is uncertain about",
	Built: "the three most probable clusterings of a set of 20 Fashion-MNIST test images under GFNCP, with their " +
		"probabilities in one order and over many",
	Expect:  "small: from shipped weights about a minute on 2 cores; smoke: seconds",
	caption: "the three most probable clusterings of a set of 20 Fashion-MNIST test images under GFNCP",
	grid:    grid{sets: on(fashionData), methods: []method{warmGFNCP}},
	run:     runFigure3,
}

// topSize holds the number of sets among which one is chosen, of samples per set, and of random orders of that set.
type topSize struct{ sets, samples, orders int }

func (s Scale) topSize() topSize {
	return at(s, topSize{3, 40, 10}, topSize{20, 1000, 100}, topSize{20, 10000, 500})
}

func (s Scale) topData() data.Config {
	c := s.galleryData(fashionData)
	c.MinK, c.MaxK = 3, 5
	return c
}

func runFigure3(s *sheet) error {
	size := s.Scale.topSize()
	s.note(`Of the first %d sets of 20 test images in 3 to 5 classes (CRP(1), a fixed seed), the one is shown whose third
		clustering is the most probable; nobody chose it by eye.

		The three are the most probable of %d clusterings sampled in the set's own order. p is the model's own p(c|x) in that
		order, share of samples how often it was drawn.

		p depends on the order in which the points are met: mean and standard deviation are over %d random orders, the same for
		all three.

		Images moved: those in another cluster than in (a), once clusters are matched one to one so that the fewest move. ARI is
		with the true classes.`, size.sets, size.samples, size.orders)
	top := topClusterings(s)
	addTop(s, top)
	if top.err != nil {
		return nil
	}
	picture, err := topPicture(s.Scale.topData(), top.value)
	s.Figures = []table.Figure{{
		Name: "top3", Picture: picture,
		Caption: fmt.Sprintf("The three most probable of %d sampled clusterings, %d of them different, of 20 "+
			"Fashion-MNIST test images under %s, with their probability in the set's own order.",
			top.value.Samples, top.value.Distinct, top.by.name),
	}}
	return err
}

// topScores are the names of a clustering's scores.
var topScores = []string{
	"p", "share of samples", "mean p of orders", "SD of p of orders", "clusters", "images moved", "ARI",
}

// addTop adds the scores of the three clusterings; with an error, cells without values.
func addTop(s *sheet, top measurement[topSet]) {
	for i, name := range topNames {
		f := top
		if f.err == nil && i >= len(f.value.Top) {
			f.err = errNotDrawn
		}
		s.add(table.Cell{Data: "the chosen set", Model: name}, scored(f, func(set topSet) evaluation.Scores {
			t := set.Top[i]
			return evaluation.Scores{
				"p": t.P, "share of samples": float64(t.Count) / float64(set.Samples),
				"mean p of orders": t.OrdersP, "SD of p of orders": t.OrdersSD,
				"clusters": float64(metrics.Clusters(t.Labels)), "images moved": float64(t.Moved), "ARI": t.ARI,
			}
		}), topScores...)
	}
}

var topNames = [3]string{"(a)", "(b)", "(c)"}

// topSet is the chosen set with its most probable clusterings, best first; fewer than three if no more were drawn.
type topSet struct {
	Number   int             `json:"number"` // in the stream
	Index    []int32         `json:"index"`  // [N] places in the pool
	Samples  int             `json:"samples"`
	Distinct int             `json:"distinct"` // different clusterings among them
	Top      []topClustering `json:"top"`
}

type topClustering struct {
	Labels   []int32 `json:"labels"` // [N], canonical
	P        float64 `json:"p"`      // p(c|x) in the set's own order
	Count    int     `json:"count"`  // how often it was drawn
	OrdersP  float64 `json:"orders_p"`
	OrdersSD float64 `json:"orders_sd"`
	Moved    int     `json:"moved"` // images in another cluster than in the first clustering
	ARI      float64 `json:"ari"`
}

// topClusterings finds the set whose third clustering is the most probable, or returns the cached result.
func topClusterings(s *sheet) measurement[topSet] {
	c, size := s.Scale.topData(), s.Scale.topSize()
	key := []any{"figure3", c, size.sets, size.samples, size.orders}
	return measureCached(s, fashionData, warmGFNCP, 1, key, func(w weights) (best topSet, err error) {
		s.say("figure 3: %d samples of each of %d sets", size.samples, size.sets)
		r, err := s.reader(w, c)
		if err != nil {
			return best, err
		}
		var chosen gallerySet
		third := -1.0
		err = r.Each(s.ctx, testSeed, size.sets, func(set evaluation.Set) error {
			g := gallerySet{set}
			one, err := g.top(size.samples)
			p := 0.0
			if len(one.Top) > 2 {
				p = one.Top[2].P
			}
			if p > third {
				best, chosen, third = one, g, p
			}
			return err
		})
		if err != nil {
			return best, err
		}
		return best, chosen.describe(best.Top, size.orders)
	})
}

// top returns the most probable of some sampled clusterings.
func (g gallerySet) top(samples int) (topSet, error) {
	drawn, err := g.samples(nil, samples, "figure3")
	if err != nil {
		return topSet{}, err
	}
	distinct := posterior.Collapse(drawn.Labels, drawn.LogProb)
	found := topSet{Number: g.Number, Index: g.Index, Samples: samples, Distinct: len(distinct)}
	for _, d := range distinct[:min(len(distinct), len(topNames))] {
		found.Top = append(found.Top, topClustering{Labels: d.Labels, P: math.Exp(d.LogProb), Count: d.Count})
	}
	return found, nil
}

// describe fills in the numbers that are computed for the chosen set only.
func (g gallerySet) describe(top []topClustering, orders int) error {
	set := g.Decoding()
	for i := range top {
		t := &top[i]
		logs, err := evaluation.OverOrders(set, t.Labels, orders, testSeed)
		if err != nil {
			return err
		}
		p := make([]float64, len(logs))
		for k, v := range logs {
			p[k] = math.Exp(v)
		}
		t.OrdersP, t.OrdersSD = metrics.Summary(p)
		_, points := moved(top[0].Labels, t.Labels)
		t.Moved = len(points)
		if t.ARI, err = metrics.ARI(g.Labels, t.Labels); err != nil {
			return err
		}
	}
	return nil
}

func topPicture(c data.Config, found topSet) (*figure.Chart, error) {
	g, err := newGallery(c, found.Index, 1,
		"The three most probable clusterings (framed: in another cluster than in (a))")
	if err != nil {
		return nil, err
	}
	for i, t := range found.Top {
		names, points := moved(found.Top[0].Labels, t.Labels)
		g.add(fmt.Sprintf("%s p = %.3g; %s; drawn %s; in random orders p = %.3g ± %.2g", topNames[i], t.P,
			text.Count(metrics.Clusters(t.Labels), "cluster"), text.Count(t.Count, "time"), t.OrdersP, t.OrdersSD),
			names, nil, points)
	}
	return g.chart(), nil
}
