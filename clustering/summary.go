package clustering

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// MinBallSamples is the fewest samples that a credible ball is drawn for: with fewer, 95 % of them are all of them.
const MinBallSamples = 20

// Ball is the credible ball around the point estimate (Wade & Ghahramani 2018, section 4): all partitions no farther
// from it than Radius, the smallest radius at which they are the share Level of the samples. Its bounds are sampled
// partitions.
type Ball struct {
	Loss   string  `json:"loss"`   // the distance: always the variation of information, "vi"
	Level  float64 `json:"level"`  // what was asked for
	Radius float64 `json:"radius"` // in nats
	Prob   float64 `json:"prob"`   // share of the samples in the ball, at least Level
	// Upper is the vertical upper bound: the farthest partition of the ball among those with the fewest clusters.
	Upper Bound `json:"upper"`
	// Lower is the vertical lower bound: the farthest among those with the most clusters.
	Lower Bound `json:"lower"`
	// Horizontal is the farthest of all, at Radius.
	Horizontal Bound `json:"horizontal"`
}

// Bound is one partition of a ball; of several that are equally far the most probable.
type Bound struct {
	K        int     `json:"k"`
	Distance float64 `json:"distance"` // from the point estimate, in nats
	Labels   []int32 `json:"labels"`   // [N], canonical
}

// summarize fills in what follows from the labels and the samples. Without samples, the labels are the only one.
func (r *Result) summarize(samples []posterior.Sample, o Options) (err error) {
	_, r.K = metrics.Canonical(r.Labels)
	r.Samples = append([]posterior.Distinct{}, posterior.Collapse(samples)...) // never nil, so that JSON shows a list
	labels := labelsOf(samples)
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
	if err := r.addLosses(labels, o); err != nil {
		return err
	}
	if o.CoClustering {
		r.CoClustering, err = coClustering(labels)
	}
	return err
}

// addLosses fills in the expected losses and the ball. The samples are labels [S][N].
func (r *Result) addLosses(labels [][]int32, o Options) (err error) {
	if r.ExpectedVI, err = posterior.LossVI.Expected(r.Labels, labels); err != nil {
		return err
	}
	if r.ExpectedBinder, err = posterior.LossBinder.Expected(r.Labels, labels); err != nil {
		return err
	}
	if o.Ball == 0 || o.Samples < MinBallSamples {
		return nil
	}
	ranked := make([][]int32, 0, len(labels)) // the most probable first, so that Bound finds these first
	for _, s := range r.Samples {
		ranked = append(ranked, slices.Repeat([][]int32{s.Labels}, s.Count)...)
	}
	b, err := posterior.LossVI.CredibleBall(r.Labels, ranked, o.Ball)
	if err != nil {
		return err
	}
	r.Ball = &Ball{
		Loss: DecodeVI, Level: o.Ball, Radius: b.Radius, Prob: b.Prob,
		Upper: newBound(b.Upper), Lower: newBound(b.Lower), Horizontal: newBound(b.Horizontal),
	}
	return nil
}

func newBound(b posterior.Bound) Bound {
	labels, k := metrics.Canonical(b.Partitions[0])
	return Bound{K: k, Distance: b.Distance, Labels: labels}
}

func coClustering(labels [][]int32) ([][]float64, error) {
	matrix, err := posterior.CoClustering(labels)
	if err != nil {
		return nil, err
	}
	dense := mat.DenseCopyOf(matrix)
	rows := make([][]float64, matrix.SymmetricDim())
	for i := range rows {
		rows[i] = dense.RawRowView(i)
	}
	return rows, nil
}

func labelsOf(samples []posterior.Sample) [][]int32 {
	labels := make([][]int32, len(samples))
	for i, s := range samples {
		labels[i] = s.Labels
	}
	return labels
}
