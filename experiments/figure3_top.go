package experiments

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

var topNames = [3]string{"(a)", "(b)", "(c)"}

// topSet is the chosen set with its most probable clusterings, the most probable first; fewer than three if no more were drawn.
type topSet struct {
	Number   int             `json:"number"` // in the stream
	Index    []int32         `json:"index"`  // [N] places in the pool
	Samples  int             `json:"samples"`
	Distinct int             `json:"distinct"` // different clusterings among them
	Top      []topClustering `json:"top"`
	MeanP    [3]float64      `json:"mean_p"` // of the first, second and third, over all sets

	// Others and Last are the means over all sets of gallerySet.undecided along the first clustering.
	Others float64 `json:"others"`
	Last   float64 `json:"last"`
}

// topClustering is one of them.
type topClustering struct {
	Labels   []int32 `json:"labels"` // [N], canonical
	P        float64 `json:"p"`      // p(c|x) in the set's own order
	Count    int     `json:"count"`  // how often it was drawn
	OrdersP  float64 `json:"orders_p"`
	OrdersSD float64 `json:"orders_sd"`
	Moved    int     `json:"moved"` // images in another cluster than in the first clustering
	ARI      float64 `json:"ari"`

	samples int // drawn in all
}

// topClusterings finds the set whose third clustering is the most probable, or what an earlier call found.
func topClusterings(s *sheet) found[topSet] {
	c, size := s.Scale.topData(), s.Scale.topSize()
	key := []any{"figure3", c, size.sets, size.samples, size.orders}
	return measured(s, fashionData, warmGFNCP, key, func(w weights) (best topSet, err error) {
		s.say("figure 3: %d samples of each of %d sets", size.samples, size.sets)
		var chosen gallerySet
		var means topSet
		third, share := -1.0, float64(size.sets)
		err = s.gallerySets(w, c, size.sets, func(g gallerySet) error {
			one, err := g.top(size.samples)
			if err != nil {
				return err
			}
			var p [3]float64
			for i, t := range one.Top {
				p[i] = t.P
				means.MeanP[i] += t.P / share
			}
			others, last, err := g.undecided(one.Top[0].Labels)
			means.Others, means.Last = means.Others+others/share, means.Last+last/share
			if p[2] > third {
				best, chosen, third = one, g, p[2]
			}
			return err
		})
		if err != nil {
			return best, err
		}
		best.MeanP, best.Others, best.Last = means.MeanP, means.Others, means.Last
		return best, chosen.describe(best.Top, size.orders)
	})
}

// top returns the most probable of some sampled clusterings.
func (g gallerySet) top(samples int) (topSet, error) {
	drawn, err := g.samples(nil, samples, "figure3")
	if err != nil {
		return topSet{}, err
	}
	distinct := posterior.Collapse(drawn)
	found := topSet{Number: g.Number, Index: g.Index, Samples: samples, Distinct: len(distinct)}
	for _, d := range distinct[:min(len(distinct), len(topNames))] {
		found.Top = append(found.Top, topClustering{Labels: d.Labels, P: math.Exp(d.LogProb), Count: d.Count})
	}
	return found, nil
}

// describe fills in what is said of the chosen set's clusterings alone.
func (g gallerySet) describe(top []topClustering, orders int) error {
	set, err := g.Decoding(1)
	if err != nil {
		return err
	}
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
		names, err := aligned(top[0].Labels, t.Labels)
		if err != nil {
			return err
		}
		for k, name := range names {
			if name != top[0].Labels[k] {
				t.Moved++
			}
		}
		if t.ARI, err = metrics.ARI(g.Labels, t.Labels); err != nil {
			return err
		}
	}
	return nil
}

// topPicture draws the clusterings below one another.
func topPicture(c data.Config, found topSet, where string) (*plot.Gallery, error) {
	g, err := galleryOf(c, found.Index)
	if err != nil {
		return nil, err
	}
	g.Title = "The three most probable clusterings of 20 images of clothes"
	g.Subtitle = fmt.Sprintf("Model %s. p is the model's own probability of a clustering, when the images come in the order of the set; %d samples gave %d different clusterings.",
		where, found.Samples, found.Distinct)
	g.Marks = []plot.GalleryMark{{Name: "moved", Text: "in another cluster than in (a)", Color: 5, Line: plot.MarkThick}}
	for i, t := range found.Top {
		names, err := aligned(found.Top[0].Labels, t.Labels)
		if err != nil {
			return nil, err
		}
		marks, moved := make([]int, len(names)), []int{}
		for k, name := range names {
			if name != found.Top[0].Labels[k] {
				marks[k] = 1
				moved = append(moved, k)
			}
		}
		g.Panels = append(g.Panels, plot.GalleryPanel{
			Title: fmt.Sprintf("%s p = %.3g", topNames[i], t.P),
			Text:  t.words(moved),
			Rows:  clusterRows(names, ownOrder(len(names)), marks),
		})
	}
	return g, nil
}

// words is what the picture says of a clustering, given the places in the order of the images that move.
func (t topClustering) words(moved []int) string {
	text := fmt.Sprintf("%s; drawn %s; in random orders p = %.3g ± %.2g.", text.Count(metrics.Clusters(t.Labels), "cluster"), text.Count(t.Count, "time"), t.OrdersP, t.OrdersSD)
	var places []string
	for _, i := range moved {
		places = append(places, strconv.Itoa(i+1))
	}
	if len(places) > 0 {
		text += fmt.Sprintf(" What moves is number %s of %d in the order.", strings.Join(places, ", "), len(t.Labels))
	}
	return text
}
