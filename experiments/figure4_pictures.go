package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
)

// twoOrdersFigures are the first sets on which only one of the two methods depends on the order; if there is none, the first set.
func twoOrdersFigures(c data.Config, all twoOrders) (figures []table.Figure, err error) {
	for i, m := range slices.Backward(figure4Methods) { // NCP first, as in the paper
		other := figure4Methods[1-i]
		sets := dependsAlone(all[m].value, all[other].value)
		if len(sets) == 0 {
			continue
		}
		caption := fmt.Sprintf("The first set on which the most likely clustering depends on the order under %s and not under %s, one of %d such sets of %d. %s",
			m.Paper, other.Paper, len(sets), len(all[m].value), proportion(all))
		picture, err := twoOrdersPicture(c, all, sets[0], caption)
		if err != nil {
			return nil, err
		}
		figures = append(figures, table.Figure{Name: m.Model + "-differs", Caption: caption, Picture: picture})
	}
	if len(figures) == 0 {
		caption := "The first set; there is none on which only one of the two models depends on the order. " + proportion(all)
		picture, err := twoOrdersPicture(c, all, 0, caption)
		if err != nil {
			return nil, err
		}
		figures = append(figures, table.Figure{Name: "first", Caption: caption, Picture: picture})
	}
	return figures, nil
}

// proportion says how often each method's clustering is the same in both orders.
func proportion(all twoOrders) string {
	var words []string
	for _, m := range figure4Methods {
		same := 0
		for _, s := range all[m].value {
			if s.same() {
				same++
			}
		}
		words = append(words, fmt.Sprintf("on %d under %s", same, m.Paper))
	}
	return fmt.Sprintf("Of all %d sets, the clustering is the same in both orders %s.", len(all[figure4Methods[0]].value), strings.Join(words, " and "))
}

// twoOrdersPicture shows one set: a method a line, an order a column.
func twoOrdersPicture(c data.Config, all twoOrders, set int, why string) (*plot.Gallery, error) {
	first := all[figure4Methods[0]].value[set]
	g, err := galleryOf(c, first.Index)
	if err != nil {
		return nil, err
	}
	g.Title, g.Subtitle, g.Columns = "The most likely clustering of one set, met in two orders", why, 2
	g.Marks = []plot.GalleryMark{
		{Name: "same", Text: "with the same images in both orders", Color: 2, Line: plot.MarkThin},
		{Name: "regrouped", Text: "with other images in order B than in order A", Color: 5, Line: plot.MarkDashed},
		{Name: "moved", Text: "and itself the one that changes its cluster", Color: 5, Line: plot.MarkThick},
	}
	orders := [][]int32{ownOrder(len(first.Index)), first.Order}
	for line, m := range figure4Methods {
		s := all[m].value[set]
		marks, err := orderMarks(s.A, s.B)
		if err != nil {
			return nil, err
		}
		a, err := aligned(first.A, s.A) // one colour a cluster in all panels
		if err != nil {
			return nil, err
		}
		b, err := aligned(a, s.B)
		if err != nil {
			return nil, err
		}
		for i, names := range [][]int32{a, b} {
			order := []string{"A", "B"}[i]
			panel := plot.GalleryPanel{
				Title: fmt.Sprintf("%s, order %s", m.Paper, order),
				Text:  fmt.Sprintf("%s, p = %.2g", text.Count(metrics.Clusters(names), "cluster"), []float64{s.PA, s.PB}[i]),
				Rows:  clusterRows(names, orders[i], marks),
			}
			if line == 0 {
				panel.OrderName = "Order " + order
				for _, point := range orders[i] {
					panel.Order = append(panel.Order, int(point))
				}
			}
			g.Panels = append(g.Panels, panel)
		}
	}
	return g, nil
}
