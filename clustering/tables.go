package clustering

import (
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
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
