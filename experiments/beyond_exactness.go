package experiments

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/train"
)

var exactness = Experiment{
	ID: "exactness", Title: "How close to the true posterior", Section: "beyond the paper",
	Shows:  "how far the models' probabilities are from Bayes' rule on mixtures of Gaussians, where that is known",
	Built:  "NCP and GFNCP against the exact posterior of 8 points and against Gibbs sampling of 100",
	Expect: "small: from shipped weights 20 minutes on 2 cores beside other work",
	grid:   grid{sets: on(mogData), methods: probabilisticMethods},
	run:    runExactness,
}

// probabilisticMethods are the methods that give p(c|x).
var probabilisticMethods = []method{
	ncp, warmGFNCP, {Name: "GFNCP (free flows)", Model: train.GFNCP, Start: StartFree},
}

const (
	exactPoints = 8   // N of the enumerated sets: 4,140 partitions
	gibbsPoints = 100 // N of the sampled sets
)

// exactData returns the config of the sets on which probabilities are compared, with the shipped models' prior of α.
func exactData(points int) data.Config {
	c := data.DefaultMoG().HeldOut(1, points, 0)
	c.AlphaMin, c.AlphaMax = 0.7, 7
	return c
}

// exactnessPart is a part of the table: sets of one size, compared with one reference.
type exactnessPart struct {
	points    int    // N
	reference string // its name
	sets      func(s Scale) int
	compare   func(p evaluation.Probabilities, ctx context.Context, t evaluation.Test) (evaluation.Exactness, error)
	scores    []string
}

var exactnessParts = []exactnessPart{
	{
		points: exactPoints, reference: "Exact",
		sets:    func(s Scale) int { return at(s, 3, 200, 200) },
		compare: evaluation.Probabilities.AgainstEnumeration,
		scores:  []string{"KL", "KL a point", "TV", "E[K]", "E[K] true", "co-clustering", "ECE"},
	},
	{
		points: gibbsPoints, reference: "Gibbs",
		sets:    func(s Scale) int { return at(s, 2, 50, 50) },
		compare: evaluation.Probabilities.AgainstGibbs,
		scores:  []string{"TV of K", "E[K]", "E[K] true", "co-clustering", "ECE"},
	},
}

func runExactness(s *sheet) error {
	for _, part := range exactnessParts {
		name := fmt.Sprintf("N = %d", part.points)
		reliability := figure.NewChart("Calibration of co-clustering, "+name, "predicted probability",
			"share of pairs together", figure.Series{Name: "calibrated", X: []float64{0, 1}, Y: []float64{0, 1}})
		for _, m := range append([]method{{Name: part.reference}}, probabilisticMethods...) {
			e := part.measure(s, m)
			scores := scored(e, func(e evaluation.Exactness) evaluation.Scores { return e.Scores })
			s.add(table.Cell{Data: name, Model: m.Name}, scores, part.scores...)
			if e.err == nil {
				reliability.Add(reliabilitySeries(m.Name, e.value.Reliability))
			}
		}
		s.Figures = append(s.Figures, table.Figure{
			Name: fmt.Sprintf("calibration-n%d", part.points), Picture: reliability,
			Caption: "Calibration of co-clustering probabilities, " + name +
				": of the pairs to which a method gives a probability, the share that is together.",
		})
	}
	small, large := exactnessParts[0].sets(s.Scale), exactnessParts[1].sets(s.Scale)
	s.note(`Sets: %d of %d points and %d of %d, α log-uniform in 0.7..7 and K ≥ 2, the prior of the shipped models' training. The
		reference knows this law too.

		Networks see sets whose median is subtracted, so the exact posterior is that of the points up to a shift
		(posterior.EnumerateCentred). log p of a network is that of the data's order.

		KL is KL(exact‖model) in nats, E[K] the expected number of clusters, co-clustering the mean |difference| of the
		probabilities that two points share a cluster, ECE their calibration error against the true labels (10 bins); the
		reference's own ECE is what finite sets leave.

		The numbers at N = 100 come from samples.`, small, exactPoints, large, gibbsPoints)
	return nil
}

// measure compares a method with the reference. A method without a model is the reference itself.
func (p exactnessPart) measure(s *sheet, m method) measurement[evaluation.Exactness] {
	t := evaluation.Test{Data: exactData(p.points), Sets: p.sets(s.Scale), Seed: testSeed}
	samples := at(s.Scale, 20, 200, 200) // for p(c|x) that is not enumerated
	key := []any{"law scores", t, samples}
	return measureCached(s, mogData, m, t.Sets, key, func(w weights) (e evaluation.Exactness, err error) {
		s.say("exactness, N = %d: %s", p.points, m.Name)
		law := evaluation.Probabilities{Samples: samples}
		if w.Model != nil {
			if law.Network, err = w.Network(s.Backend); err != nil {
				return e, err
			}
		}
		return p.compare(law, s.ctx, t)
	})
}

// reliabilitySeries is how often pairs were together, by the predicted probability.
func reliabilitySeries(name string, bins []metrics.ReliabilityBin) figure.Series {
	s := figure.Series{Name: name, Mark: figure.Dotted}
	for _, b := range bins {
		s.X, s.Y = append(s.X, b.Predicted), append(s.Y, b.Observed)
	}
	return s
}
