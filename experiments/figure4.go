package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

var figure4 = Experiment{
	ID: "figure4", Title: "Clusterings under two data orders", Section: "5.3",
	Shows: "whether the most likely clustering of a set depends on the order of its points, " +
		"seen on one set and counted over many",
	Built: "GFNCP and NCP on sets of 20 MNIST test images in two orders: shares over all sets, and the first set of " +
		"each kind as a picture",
	Expect:  "small: from shipped weights about 3 minutes on 2 cores; smoke: seconds",
	caption: "how often the most likely clustering of 20 MNIST test images is the same in two orders",
	grid:    grid{sets: on(mnistData), methods: figure4Methods},
	run:     runFigure4,
}

var figure4Methods = []method{warmGFNCP, ncp}

// twoOrdersSets is the number of sets; each is sampled twoOrdersSamples times in each order.
func (s Scale) twoOrdersSets() int { return at(s, 4, 100, 1000) }

func (s Scale) twoOrdersSamples() int { return at(s, 10, 100, 100) }

type twoOrders map[method]measurement[[]twoOrdersSet]

func runFigure4(s *sheet) (err error) {
	s.note(`Sets: 20 MNIST test images, CRP(1), K ≥ 2. Order A is the set's own, order B a random one; both models meet the same.

		Most likely clustering: for each model, %d samples, a beam of %d and the greedy clustering under each order give the
		candidates, the %d most probable of each order, and the one with the highest p(c|x) under an order is its answer for
		that order. Both orders choose among the same candidates, so a difference is the model's and not the search's.

		ARI of the two, images moved: between the answers for the two orders; images move where
		they leave their cluster, once clusters are matched one to one so that the fewest do. Differs alone: share of sets on
		which this model's answer depends on the order and the other's does not.

		Undecided, along the answer for order A: entropy of a decision as a share of the largest that its choices allow,
		mean over the decisions but the last, and of the last alone; at 1 the image is put anywhere at random. The last
		decision takes its energies as they are, and the Reg term of the objective draws all of them to 0
		(docs/objective.md).

		The pictures show the first set on which only NCP's answer depends on the order, as the paper's figure does, and the
		first on which only GFNCP's does; how often each happens is in the table.`, s.Scale.twoOrdersSamples(), beamWidth, shortlist)
	all, complete := twoOrders{}, true
	for _, m := range figure4Methods {
		all[m] = inTwoOrders(s, m)
		complete = complete && all[m].err == nil
	}
	addTwoOrders(s, all)
	if complete {
		s.Figures, err = twoOrdersFigures(s.Scale.galleryData(mnistData), all)
	}
	return err
}

// scores are the table's numbers of a set; a method's are means over the sets.
func (s twoOrdersSet) scores() evaluation.Scores {
	return evaluation.Scores{
		"same clustering": asShare(s.same()), "ARI of the two": s.ARI, "images moved": float64(s.Moved),
		"undecided": s.Others, "undecided, last": s.Last,
	}
}

func asShare(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func addTwoOrders(s *sheet, all twoOrders) {
	sets := s.Scale.twoOrdersSets()
	cell := func(m method) table.Cell { return table.Cell{Data: fmt.Sprintf("MNIST, %d sets", sets), Model: m.Name} }
	for i, m := range figure4Methods {
		this, other := all[m], all[figure4Methods[1-i]]
		s.add(cell(m), scored(this, func(found []twoOrdersSet) evaluation.Scores {
			mean := evaluation.Scores{}
			for _, one := range found {
				for name, v := range one.scores() {
					mean[name] += v / float64(sets)
				}
			}
			return mean
		}), "same clustering", "ARI of the two", "images moved", "undecided", "undecided, last")
		this.err = cmp.Or(this.err, other.err) // the last number needs both methods
		s.add(cell(m), scored(this, func(found []twoOrdersSet) evaluation.Scores {
			return evaluation.Scores{"differs alone": float64(len(dependsAlone(found, other.value))) / float64(sets)}
		}), "differs alone")
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

// twoOrdersSet is a model's most likely clustering of a set in two orders. A is the set's own, B is Order.
type twoOrdersSet struct {
	Index  []int32    `json:"index"`  // [N] places in the pool
	Order  []int32    `json:"order"`  // [N] the points as order B meets them
	Labels [2][]int32 `json:"labels"` // [N] canonical labels, most likely in order A and in order B
	P      [2]float64 `json:"p"`      // p(c|x) of these labels, each in its order
	ARI    float64    `json:"ari"`    // of both
	Moved  int        `json:"moved"`  // points in another cluster, see aligned

	// Others and Last are gallerySet.undecided along the first labels in order A.
	Others float64 `json:"others"`
	Last   float64 `json:"last"`
}

// same reports whether both orders have one most likely clustering.
func (s twoOrdersSet) same() bool { return slices.Equal(s.Labels[0], s.Labels[1]) }

// inTwoOrders finds a method's clusterings of all sets, or returns the cached result.
func inTwoOrders(s *sheet, m method) measurement[[]twoOrdersSet] {
	c, sets, samples := s.Scale.galleryData(mnistData), s.Scale.twoOrdersSets(), s.Scale.twoOrdersSamples()
	key := []any{"figure4 labels", c, sets, samples, beamWidth, shortlist}
	return measureCached(s, mnistData, m, sets, key, func(w weights) (all []twoOrdersSet, err error) {
		s.say("figure 4: %d sets in two orders under %s", sets, m.Name)
		r, err := s.reader(w, c)
		if err != nil {
			return nil, err
		}
		err = r.Each(s.ctx, testSeed, sets, func(set evaluation.Set) error {
			one, err := gallerySet{set}.inTwoOrders(samples)
			all = append(all, one)
			return err
		})
		return all, err
	})
}

// inTwoOrders finds the most likely clustering in two orders, the set's own and a random one, among common candidates.
func (g gallerySet) inTwoOrders(samples int) (s twoOrdersSet, err error) {
	s.Index = g.Index
	s.Order = data.Order(data.Rand(testSeed, "figure4/order", g.Number), g.N)
	orders := [][]int32{nil, s.Order}
	var candidates [][]int32
	var logProbs []float64
	for i, order := range orders {
		some, err := g.likely(order, samples, []string{"figure4/a", "figure4/b"}[i])
		if err != nil {
			return s, err
		}
		for _, d := range some {
			candidates, logProbs = append(candidates, d.Labels), append(logProbs, d.LogProb)
		}
	}
	var labels [][]int32
	for _, d := range posterior.Collapse(candidates, logProbs) {
		labels = append(labels, d.Labels)
	}
	for i, order := range orders {
		r, err := g.along(order, labels)
		if err != nil {
			return s, err
		}
		best := floats.MaxIdx(r.LogProb)
		s.Labels[i], s.P[i] = labels[best], math.Exp(r.LogProb[best])
	}
	if s.Others, s.Last, err = g.undecided(s.Labels[0]); err != nil {
		return s, err
	}
	_, points := moved(s.Labels[0], s.Labels[1])
	s.Moved = len(points)
	s.ARI, err = metrics.ARI(s.Labels[0], s.Labels[1])
	return s, err
}

const (
	// beamWidth is how many labellings a beam search keeps; samples alone may miss the best.
	beamWidth = 16
	// shortlist is the number of an order's labellings that are scored in both orders.
	shortlist = 40
)

// likely lists the most probable of samples, a beam and the greedy labels in an order (nil: the set's own).
func (g gallerySet) likely(order []int32, samples int, stream string) ([]posterior.Distinct, error) {
	all, err := g.samples(order, samples, stream)
	if err != nil {
		return nil, err
	}
	beam, err := g.Decoding().Beam(sampling.Sequence{Order: order}, beamWidth)
	if err != nil {
		return nil, err
	}
	first, err := g.Run(order, 1, sampling.Greedy())
	if err != nil {
		return nil, err
	}
	best := posterior.Collapse(slices.Concat(all.Labels, beam.Labels, first.Labels),
		slices.Concat(all.LogProb, beam.LogProb, first.LogProb))
	return best[:min(len(best), shortlist)], nil
}

// twoOrdersFigures shows the first sets on which only one method depends on the order, or else the first set.
func twoOrdersFigures(c data.Config, all twoOrders) (figures []table.Figure, err error) {
	add := func(name string, set int, caption string) {
		picture, fault := twoOrdersPicture(c, all, set)
		figures = append(figures, table.Figure{Name: name, Caption: caption, Picture: picture})
		err = cmp.Or(err, fault)
	}
	for i, m := range slices.Backward(figure4Methods) { // NCP first, as in the paper
		other := figure4Methods[1-i]
		if differ := dependsAlone(all[m].value, all[other].value); len(differ) > 0 {
			add(m.Model+"-differs", differ[0], fmt.Sprintf("The first set on which the most likely clustering depends "+
				"on the order under %s and not under %s, one of %d such sets of %d.", m.Paper, other.Paper,
				len(differ), len(all[m].value)))
		}
	}
	if len(figures) == 0 {
		add("first", 0, "The first set; no set makes only one of the two models depend on the order.")
	}
	return figures, err
}

// twoOrdersPicture shows one set: a method a line, an order a column.
func twoOrdersPicture(c data.Config, all twoOrders, set int) (*figure.Chart, error) {
	first := all[figure4Methods[0]].value[set]
	g, err := newGallery(c, first.Index, 2, "One set in two orders (framed: in another cluster in order B)")
	if err != nil {
		return nil, err
	}
	for _, m := range figure4Methods {
		s := all[m].value[set]
		a := aligned(first.Labels[0], s.Labels[0]) // one colour a cluster in all panels
		b, points := moved(a, s.Labels[1])
		for i, names := range [][]int32{a, b} {
			title := fmt.Sprintf("%s, order %s: %s, p = %.2g", m.Paper, []string{"A", "B"}[i],
				text.Count(metrics.Clusters(names), "cluster"), s.P[i])
			g.add(title, names, [][]int32{nil, first.Order}[i], points)
		}
	}
	return g.chart(), nil
}
