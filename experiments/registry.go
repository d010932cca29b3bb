package experiments

import (
	"context"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Experiment is one table or figure of the paper, or one beyond it.
type Experiment struct {
	ID      string
	Title   string
	Section string // where it stands in the paper
	Shows   string // what a reader learns from it
	Built   string // which cells it has
	Expect  string // time and result by scale, measured

	run     func(ctx context.Context, lab *Lab) (*Product, error)
	configs func(scale Scale) []NamedConfig
}

// Product is what an experiment yields: a table, and figures.
type Product struct {
	Table   *table.Table
	Figures []table.Figure
}

// registry lists every experiment: the paper's in its order, then those beyond it.
var registry = []Experiment{
	table1,
	table2,
	table3,
	table4,
	table5,
	table6,
	figure1,
	figure2,
	figure3,
	figure4,
	figure5,
	coldStart,
	exactness,
	fixedPoint,
	ablationLoss,
	ablationWeights,
}

// All lists the experiments in the paper's order.
func All() []Experiment { return append([]Experiment{}, registry...) }

// Find returns the experiment with an ID.
func Find(id string) (Experiment, error) {
	var known []string
	for _, e := range registry {
		if e.ID == id {
			return e, nil
		}
		known = append(known, e.ID)
	}
	return Experiment{}, usererr.Unknown(id, known, "experiment %q is not known", id)
}

// Reproduce computes an experiment in a lab.
func (e Experiment) Reproduce(ctx context.Context, lab *Lab) (*Product, error) {
	return e.run(ctx, lab)
}

// Configs lists how the experiment's cells are trained at a scale, before the seed is set.
func (e Experiment) Configs(scale Scale) []NamedConfig {
	if e.configs == nil {
		return nil
	}
	return e.configs(scale)
}
