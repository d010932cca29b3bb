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

// validated are the validations of a run.
type validated struct {
	name        string // in a figure
	validations []train.Validation
}

// validations are those of a config's run with the first seed.
func (l *Lab) validations(run string, c train.Config) ([]train.Validation, error) {
	c.Seed = 1
	return train.ReadValidations(l.dir(run, c))
}

// curveFigures draws curves of several runs. File begins the figures' names, group names what they belong to; both may be empty.
func curveFigures(curves []validationCurve, file, group string, runs []validated) (figures []table.Figure) {
	for _, c := range curves {
		picture := &plot.Curve{Title: c.Title, XLabel: "training step", YLabel: c.YLabel, LogY: c.LogY}
		for _, r := range runs {
			series := plot.Series{Name: r.name}
			for _, v := range r.validations {
				series.Steps, series.Values = append(series.Steps, v.Step), append(series.Values, c.Of(v))
			}
			picture.Series = append(picture.Series, series)
		}
		figures = append(figures, table.Figure{
			Name:    strings.TrimPrefix(file+"-"+c.File, "-"),
			Caption: strings.TrimPrefix(group+": "+c.Title+", over the steps of training (seed 1).", ": "),
			Picture: picture,
		})
	}
	return figures
}
