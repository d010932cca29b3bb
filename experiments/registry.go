// Package experiments is the registry of what gfncp reproduces: each table and figure of the paper, in a file of its
// name, and experiments beyond the paper (beyond_*.go). Experiments share runs by the hash of their config. Rendering
// and flags are in other packages.
package experiments

import (
	"cmp"
	"context"
	"slices"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Experiment is one table or figure of the paper, or one beyond it.
type Experiment struct {
	ID      string
	Title   string
	Section string // where it stands in the paper
	Shows   string // what a reader learns from it
	Built   string // which cells it has
	Expect  string // time and result by scale, measured

	caption string                      // of its table, if that is not Shows
	grid    grid                        // its data sets and methods
	configs func(s Scale) []NamedConfig // how its cells are trained, if not as the grid says
	run     func(s *sheet) error        // fills the sheet; with an error there is no table
}

// Configs lists how its cells are trained at a scale, before the seed is set.
func (e Experiment) Configs(s Scale) []NamedConfig {
	if e.configs != nil {
		return e.configs(s)
	}
	return e.grid.configs(s)
}

// NamedConfig is how a cell is trained.
type NamedConfig struct {
	Name   string       `json:"name"`
	Config train.Config `json:"config"`
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
	exactness,
	ablationLoss,
	protocol,
}

// All lists the experiments in the paper's order.
func All() []Experiment { return slices.Clone(registry) }

// IDs lists the IDs of all experiments, for Find.
func IDs() (all []string) {
	for _, e := range registry {
		all = append(all, e.ID)
	}
	return all
}

// Find returns the experiment with an ID, or a *usererr.Error.
func Find(id string) (Experiment, error) {
	for _, e := range registry {
		if e.ID == id {
			return e, nil
		}
	}
	return Experiment{}, usererr.Unknown(id, IDs(), "experiment %q is not known", id)
}

// Reproduce computes the table of an experiment. With an error the table holds the cells that succeeded, or is nil.
func (e Experiment) Reproduce(ctx context.Context, lab *Lab) (*table.Table, error) {
	s := &sheet{Lab: lab, ctx: ctx, grid: e.grid, missing: map[string]error{}}
	s.Table = &table.Table{ID: e.ID, Title: e.Title, Caption: cmp.Or(e.caption, e.Shows), Provenance: lab.Provenance}
	if err := e.run(s); err != nil || s.stopped != nil {
		return nil, cmp.Or(s.stopped, err)
	}
	s.finish()
	return s.Table, s.failed
}
