package experiments

import (
	"strings"

	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// validationCurve is a number of a run's validations, drawn over the steps of training.
type validationCurve struct {
	File, Title, YLabel string
	LogY                bool
	Of                  func(v train.Validation) float64
}

var (
	nmiCurve = validationCurve{
		File: "nmi", Title: "Agreement with the true clusters of validation sets", YLabel: "NMI of greedy decoding",
		Of: func(v train.Validation) float64 { return v.NMI },
	}
	clustersCurve = validationCurve{
		File: "clusters", Title: "Clusters found in validation sets, over true ones", YLabel: "ratio", LogY: true,
		Of: func(v train.Validation) float64 { return v.Found / v.Truth },
	}
)

// validations are those of a config's run with the first seed.
func (l *Lab) validations(run string, c train.Config) ([]train.Validation, error) {
	c.Seed = 1
	return train.ReadValidations(l.dir(run, c))
}

// series is the curve of one run.
func (c validationCurve) series(name string, validations []train.Validation) plot.Series {
	s := plot.Series{Name: name}
	for _, v := range validations {
		s.Steps, s.Values = append(s.Steps, v.Step), append(s.Values, c.Of(v))
	}
	return s
}

// figure draws curves of several runs. Group names what they belong to; it may be empty.
func (c validationCurve) figure(name, group string, series []plot.Series) table.Figure {
	return table.Figure{
		Name:    name,
		Caption: strings.TrimPrefix(group+": "+c.Title+", over the steps of training (seed 1).", ": "),
		Picture: &plot.Curve{Title: c.Title, XLabel: "training step", YLabel: c.YLabel, LogY: c.LogY, Series: series},
	}
}
