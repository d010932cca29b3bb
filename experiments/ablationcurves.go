package experiments

import (
	"context"
	"fmt"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/posterior"
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

// figures are the curves of a group's rows, by the first seed; rows that have not validated are left out.
func (a ablation) figures(lab *Lab, group ablationGroup, results []ablated) (figures []table.Figure) {
	for _, kind := range a.curves {
		curve := &plot.Curve{Title: kind.Title, XLabel: "training step", YLabel: kind.YLabel, LogY: kind.LogY}
		for i, r := range results {
			c := r.config
			c.Seed = 1
			validations, err := train.ReadValidations(lab.dir(r.name, c))
			if err != nil {
				continue
			}
			series := plot.Series{Name: group.Rows[i].Name}
			for _, v := range validations {
				series.Steps, series.Values = append(series.Steps, v.Step), append(series.Values, kind.Of(v))
			}
			curve.Series = append(curve.Series, series)
		}
		if len(curve.Series) > 0 {
			figures = append(figures, table.Figure{
				Name:    strings.TrimPrefix(group.File+"-"+kind.File, "-"),
				Caption: fmt.Sprintf("%s: %s, over the steps of training (seed 1).", group.Name, kind.Title), Picture: curve,
			})
		}
	}
	return figures
}

// aloneNote says what the labels score that every training begins with or comes by: NMI is far from 0 there.
func (l *Lab) aloneNote(ctx context.Context) ([]string, error) {
	if l.plan != nil {
		return nil, nil
	}
	t := l.Scale.ablationTest()
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return nil, err
	}
	q, err := evaluation.Labels(ctx, source, t.Seed, t.Sets, func(_ int, batch *data.Batch) ([][]int32, error) {
		found := make([][]int32, batch.B)
		for b := range found {
			found[b] = posterior.Singletons(batch.N)
		}
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("Labels that do not depend on the data: on these test sets each point in a cluster of its own has NMI %.3f and ARI %.3f, all points in one cluster have 0 and 0.", q.NMI, q.ARI)}, nil
}
