package experiments

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// measure is a number about a run's weights, on sets of its own.
type measure struct {
	Metric string
	Points int // N
	Sets   func(s Scale) int
	Of     func(s *sheet, dir string) (float64, error)
}

// Measures of an ablation that cost more than a Quality: order dependence, and the distance to the exact posterior.
var (
	measureSDPP = measure{
		"SDPP", evaluation.SDPPPoints, func(s Scale) int { sets, _, _ := s.ablationSizes(); return sets }, ablationSDPP,
	}
	measureExactness = measure{
		"KL a point", exactPoints, func(s Scale) int { _, _, sets := s.ablationSizes(); return sets }, ablationExactness,
	}
)

// ablationSizes are the sets and orders behind SDPP, and the sets whose posterior is enumerated.
func (s Scale) ablationSizes() (sdppSets, orders, lawSets int) {
	switch s {
	case Smoke:
		return 2, 50, 2
	case Small:
		return 15, evaluation.SDPPOrders, 50
	}
	return 300, evaluation.SDPPOrders, 200
}

// values are the measure's numbers of a row's seeds.
func (m measure) values(s *sheet, r ablated) (values []float64, err error) {
	for _, o := range r.outcomes {
		c := r.config
		c.Seed = o.Seed
		value, err := m.Of(s, s.dir(r.name, c))
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", o.Seed, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// bestNetwork opens the best weights of a run.
func (l *Lab) bestNetwork(dir string) (*models.Network, error) {
	m, err := train.ReadModel(train.BestPath(dir))
	if err != nil {
		return nil, err
	}
	return m.Network(l.Backend)
}

// ablationSDPP is the mean SDPP of a run's weights on the data's labels.
func ablationSDPP(s *sheet, dir string) (float64, error) {
	sets, orders, _ := s.Scale.ablationSizes()
	where := data.DefaultMoG().HeldOut(mogData.Alpha, evaluation.SDPPPoints, 0)
	rule := evaluation.SDPP{Labels: evaluation.DataLabels, Orders: orders, Seed: testSeed}
	return kept(dir, []any{"sdpp", evaluation.Test{Data: where, Sets: sets, Seed: testSeed}, rule}, func() (float64, error) {
		net, err := s.bestNetwork(dir)
		if err != nil {
			return 0, err
		}
		source, err := data.NewMoG(where)
		if err != nil {
			return 0, err
		}
		values, err := rule.Values(s.ctx, &evaluation.Reader{Net: net, Source: source}, 0, 0, sets)
		if err != nil {
			return 0, err
		}
		return stat.Mean(values, nil), nil
	})
}

// ablationExactness is KL(exact‖model) of a run's weights in nats a point, on sets of 8 points of the training's own prior.
func ablationExactness(s *sheet, dir string) (float64, error) {
	_, _, sets := s.Scale.ablationSizes()
	where := evaluation.Test{Data: data.DefaultMoG().HeldOut(mogData.Alpha, exactPoints, 0), Sets: sets, Seed: testSeed}
	e, err := kept(dir, []any{"law", where}, func() (evaluation.Exactness, error) {
		net, err := s.bestNetwork(dir)
		if err != nil {
			return evaluation.Exactness{}, err
		}
		return evaluation.Probabilities{Network: net}.AgainstEnumeration(s.ctx, where)
	})
	return e.KL / exactPoints, err
}
