package evaluation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// LastDecision compares the last decision of a network, p(c_N | c_{1:N−1}, x), with its exact law. Given the true
// labels of all other points nothing has to be foreseen, so that the exact law of a mixture has a closed form; what
// is wrong here is no matter of looking ahead. All but Worst are means over the decisions looked at.
type LastDecision struct {
	Sets  int     `json:"sets"`
	KL    float64 `json:"kl"`    // KL(exact‖model) in nats
	New   float64 `json:"new"`   // the model's probability of a new cluster where the exact one is below ½
	Exact float64 `json:"exact"` // the exact probability of a new cluster there
	Worst float64 `json:"worst"` // the largest KL
	kept  int     // decisions behind New and Exact
}

// DecisionsOf looks at the decisions on the first points of each set, each put last. The sets are mixtures, known up
// to a shift, as their medians are subtracted. Cancelling ctx ends it between two sets with train.ErrInterrupted.
func DecisionsOf(ctx context.Context, net *models.Network, t Test, points int) (l LastDecision, err error) {
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return l, err
	}
	total := 0
	for set, err := range Sets(ctx, source, t.Seed, t.Sets) {
		if err != nil {
			return l, err
		}
		count := min(points, set.N)
		model, err := lastDecisions(net, set, count)
		if err != nil {
			return l, fmt.Errorf("set %d: %w", set.Number, err)
		}
		for i := range count {
			exact, err := exactDecision(t.Data, set, i)
			if err != nil {
				return l, fmt.Errorf("set %d: %w", set.Number, err)
			}
			l.add(exact, model[i])
			total++
		}
		l.Sets++
	}
	l.KL /= float64(total)
	l.New, l.Exact = l.New/float64(max(1, l.kept)), l.Exact/float64(max(1, l.kept))
	return l, nil
}

func (l *LastDecision) add(exact, model []float64) {
	kl := 0.0
	for k, p := range exact {
		if prob := math.Exp(p); prob > 0 {
			kl += prob * (p - model[k])
		}
	}
	l.KL, l.Worst = l.KL+kl, max(l.Worst, kl)
	last := len(exact) - 1
	if fresh := math.Exp(exact[last]); fresh < 0.5 {
		l.kept++
		l.Exact += fresh
		l.New += math.Exp(model[last])
	}
}

// others returns the canonical labels of a set without point i, and their number of clusters.
func others(labels []int32, i int) (rest []int32, clusters int) {
	return metrics.Canonical(slices.Delete(slices.Clone(labels), i, i+1))
}

// exactDecision is log p(c_i = k | c_{−i}, x) for the clusters k of the other points, in the order of their first
// points, and a new one.
func exactDecision(c data.Config, set Set, i int) ([]float64, error) {
	rest, clusters := others(set.Labels, i)
	prior, err := priorOf(c).Prior(set.N)
	if err != nil {
		return nil, err
	}
	x := data.Float64s(set.X)
	logProb := make([]float64, clusters+1)
	for k := range logProb {
		labels := slices.Insert(slices.Clone(rest), i, int32(k))
		fit, err := likelihoodOf(c).LogLikelihoodCentred(x, labels)
		if err != nil {
			return nil, err
		}
		sizes := make([]int, clusters+1)
		for _, l := range labels {
			sizes[l]++
		}
		if sizes[clusters] == 0 {
			sizes = sizes[:clusters]
		}
		logProb[k] = fit + prior(sizes)
	}
	_, err = posterior.Normalize(logProb)
	return logProb, err
}

// lastDecisions are the log-probabilities of the candidates of each of the first points, put last, in the same order.
func lastDecisions(net *models.Network, set Set, points int) ([][]float64, error) {
	var x []float32
	var labels []int32
	d := set.D
	for i := range points {
		rest, clusters := others(set.Labels, i)
		x = append(append(x, set.X[:i*d]...), set.X[(i+1)*d:]...)
		x = append(x, set.X[i*d:(i+1)*d]...)
		labels = append(append(labels, rest...), int32(clusters))
	}
	tables, err := net.Tables(x, labels, points, set.N)
	if err != nil {
		return nil, err
	}
	decisions := make([][]float64, points)
	for i, rows := range tables {
		if decisions[i], err = logProbs(rows[set.N-1]); err != nil {
			return nil, err
		}
	}
	return decisions, nil
}

// logProbs turns the energies of a decision's candidates into their log-probabilities, in place.
func logProbs(energies []float64) ([]float64, error) {
	floats.Scale(-1, energies)
	_, err := posterior.Normalize(energies)
	return energies, err
}
