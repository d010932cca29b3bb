package clustering

import (
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// summarize fills in the fields that follow from the labels and the samples. Without samples the labels count as one.
func (r *Result) summarize(samples []posterior.Sample, o Options) (err error) {
	_, r.K = metrics.Canonical(r.Labels)
	r.Samples = append([]posterior.Distinct{}, posterior.Collapse(samples)...) // never nil, so that JSON shows a list
	var labels [][]int32
	for _, s := range samples {
		labels = append(labels, s.Labels)
	}
	if len(labels) == 0 {
		labels = [][]int32{r.Labels}
	}
	r.KPosterior = posterior.KPosterior(labels)
	if r.Probabilities, err = posterior.Assignments(r.Labels, labels); err != nil {
		return err
	}
	if r.Uncertainty, err = posterior.Uncertainty(r.Labels, labels); err != nil {
		return err
	}
	if r.ExpectedVI, err = posterior.LossVI.Expected(r.Labels, labels); err != nil {
		return err
	}
	if r.ExpectedBinder, err = posterior.LossBinder.Expected(r.Labels, labels); err != nil {
		return err
	}
	if o.CoClustering {
		r.CoClustering, err = coClustering(labels)
	}
	return err
}

func coClustering(labels [][]int32) (rows [][]float64, err error) {
	matrix, err := posterior.CoClustering(labels)
	if err != nil {
		return nil, err
	}
	for i := range matrix.SymmetricDim() {
		rows = append(rows, mat.Row(nil, i, matrix))
	}
	return rows, nil
}
