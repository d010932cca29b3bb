package experiments

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// measure is a number about a run's weights, on sets of its own.
type measure struct {
	Metric string
	Points int // N
	Of     func(ctx context.Context, l *Lab, dir string) (value float64, sets int, err error)
}

// Measures of an ablation that cost more than a Quality: order dependence, and the distance to the exact posterior.
var (
	measureSDPP = measure{"SDPP", evaluation.SDPPPoints, ablationSDPP}
	measureLaw  = measure{"KL a point", exactPoints, ablationLaw}
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

// fill puts the mean of a measure over a row's seeds into a cell that has what the seeds' qualities say.
func (m measure) fill(ctx context.Context, lab *Lab, cell *table.Cell, r ablated) error {
	var values []float64
	for _, o := range r.outcomes {
		c := r.config
		c.Seed = o.Seed
		value, sets, err := m.Of(ctx, lab, lab.dir(r.name, c))
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", m.Metric, o.Seed, err)
		}
		values, cell.TestSets = append(values, value), sets
	}
	if len(values) == 0 {
		return nil
	}
	mean, std := metrics.Summary(values)
	cell.Ours.Mean = mean
	if cell.Ours.Std != nil {
		cell.Ours.Std = &std
	}
	return nil
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
func ablationSDPP(ctx context.Context, l *Lab, dir string) (mean float64, sets int, err error) {
	sets, orders, _ := l.Scale.ablationSizes()
	where := data.DefaultMoG().HeldOut(mogData.Alpha, evaluation.SDPPPoints, 0)
	rule := evaluation.SDPP{Labels: evaluation.DataLabels, Orders: orders, Seed: testSeed}
	mean, err = kept(dir, []any{"sdpp", evaluation.Test{Data: where, Sets: sets, Seed: testSeed}, rule}, func() (float64, error) {
		net, err := l.bestNetwork(dir)
		if err != nil {
			return 0, err
		}
		source, err := data.NewMoG(where)
		if err != nil {
			return 0, err
		}
		values, err := rule.Values(ctx, &evaluation.Reader{Net: net, Source: source}, 0, 0, sets)
		if err != nil {
			return 0, err
		}
		mean, _ := metrics.Summary(values)
		return mean, nil
	})
	return mean, sets, err
}

// ablationLaw is KL(exact‖model) of a run's weights in nats a point, on sets of 8 points of the training's own prior.
func ablationLaw(ctx context.Context, l *Lab, dir string) (kl float64, sets int, err error) {
	_, _, sets = l.Scale.ablationSizes()
	where := evaluation.Test{Data: data.DefaultMoG().HeldOut(mogData.Alpha, exactPoints, 0), Sets: sets, Seed: testSeed}
	q, err := kept(dir, []any{"law", where}, func() (evaluation.Exactness, error) {
		net, err := l.bestNetwork(dir)
		if err != nil {
			return evaluation.Exactness{}, err
		}
		return evaluation.Probabilities{Network: net}.AgainstEnumeration(ctx, where)
	})
	return q.KL / exactPoints, q.Sets, err
}
