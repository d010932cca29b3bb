package clustering

import (
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

// MostColumns is the most columns of a table, indicators of categories counted, that a model of tables takes.
const MostColumns = 64

// table turns rows into principal components, as a network of tables read them in its training (tabular.View). Columns
// are standardized first. With scale 1 they keep their standard deviations, as a tabular.Encoding chose them.
func (p *prepared) table(scale float64, dim int) error {
	rows := data.Float64s(p.x)
	view, err := newView(rows, p.n, p.d, dim, scale)
	if err != nil {
		return err
	}
	p.view, p.factor, p.center = view, view.Factor, make([]float32, p.d)
	for j, mean := range view.Rotation.Mean {
		p.center[j] = float32(mean)
	}
	p.x, p.d = view.Apply(rows), dim
	return nil
}

func newView(rows []float64, n, d, dim int, scale float64) (*tabular.View, error) {
	find := tabular.NewView
	switch scale {
	case 0:
		find = tabular.NewStandardizedView
	case 1:
	default:
		return nil, usererr.Option("Scale", "use the automatic one or 1", "%g has no meaning for tables", scale)
	}
	view, err := find(rows, n, d, dim)
	if err != nil {
		return nil, &usererr.Error{
			Msg: "the points cannot be shown to the model", Hint: "give columns that vary", Err: err,
		}
	}
	return &view, nil
}

// checkColumns refuses rows that no model of tables takes.
func checkColumns(d int) error {
	if d < 1 || d > MostColumns {
		return usererr.New("choose fewer", "the rows have %s, but models of tables take at most %d",
			text.Count(d, "column"), MostColumns)
	}
	return nil
}

// priorDraws is the number of tables that estimate their prior of K.
const priorDraws = 2000

// tablesPrior is the prior P(K) of tables of n rows, from priorDraws draws; K rising.
func tablesPrior(known data.Config, n int) []posterior.KProb {
	counts := make([]int, known.Tables.MaxK+1)
	rng := data.Rand(0, fmt.Sprintf("tables/prior %d", n), 0)
	for range priorDraws {
		counts[known.Tables.DrawK(rng, n)]++
	}
	var law []posterior.KProb
	for k, count := range counts {
		if count > 0 {
			law = append(law, posterior.KProb{K: k, P: float64(count) / priorDraws})
		}
	}
	return law
}
