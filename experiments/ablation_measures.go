package experiments

import (
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
)

// measure is a number about weights, on sets of its own.
type measure struct {
	Metric string
	Points int // N
	Sets   func(s Scale) int
	Of     func(s *sheet, w weights) (float64, error)
}

// Measures of an ablation that cost more than a Quality: order dependence, and the distance to the exact posterior.
var (
	measureSDPP      = measure{"SDPP", evaluation.SDPPPoints, Scale.ablationSDPPSets, ablationSDPP}
	measureExactness = measure{"KL a point", exactPoints, Scale.ablationLawSets, ablationExactness}
)

// ablationSDPPSets is the number of sets behind SDPP, each in ablationOrders.
func (s Scale) ablationSDPPSets() int { return at(s, 2, 15, 300) }

func (s Scale) ablationOrders() int { return at(s, 50, evaluation.SDPPOrders, evaluation.SDPPOrders) }

// ablationLawSets is the number of sets whose posterior is enumerated.
func (s Scale) ablationLawSets() int { return at(s, 2, 50, 200) }

// ablationSets are sets of the training's own prior.
func ablationSets(points, sets int) evaluation.Test {
	return evaluation.Test{Data: data.DefaultMoG().HeldOut(mogData.Alpha, points, 0), Sets: sets, Seed: testSeed}
}

// ablationSDPP is the mean SDPP of weights on the data's labels.
func ablationSDPP(s *sheet, w weights) (float64, error) {
	where := ablationSets(evaluation.SDPPPoints, s.Scale.ablationSDPPSets())
	rule := evaluation.SDPP{Labels: evaluation.DataLabels, Orders: s.Scale.ablationOrders(), Seed: testSeed}
	return kept(w.dir, []any{"sdpp", where, rule}, func() (float64, error) {
		r, err := s.reader(w, where.Data)
		if err != nil {
			return 0, err
		}
		values, err := rule.Values(s.ctx, r, 0, 0, where.Sets)
		return stat.Mean(values, nil), err
	})
}

// ablationExactness is KL(exact‖model) of weights in nats a point.
func ablationExactness(s *sheet, w weights) (float64, error) {
	where := ablationSets(exactPoints, s.Scale.ablationLawSets())
	e, err := kept(w.dir, []any{"law", where}, func() (evaluation.Exactness, error) {
		net, err := w.Network(s.Backend)
		if err != nil {
			return evaluation.Exactness{}, err
		}
		return evaluation.Probabilities{Network: net}.AgainstEnumeration(s.ctx, where)
	})
	return e.KL / exactPoints, err
}
