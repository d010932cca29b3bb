package experiments

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// SDPPPoints is the size of the sets on which SDPP is measured (published code).
const SDPPPoints = 20

const (
	// sdppOrders is the number of random orders of one set (paper, section "Data-order invariance metrics").
	sdppOrders = 500
	// sdppSamples is the number of samples among which the most likely labels are chosen (published code).
	sdppSamples = 100
)

// labelRule says whose probability SDPP is about.
type labelRule string

const (
	dataLabels   labelRule = "data"   // the true clusters, (c,x) ~ p_data (paper, section "Data-order invariance metrics")
	likelyLabels labelRule = "likely" // the model's most likely of sdppSamples samples in the set's own order (published code)
)

// LogProbs returns log p(c|x) of a labelled set, x [N,D] and labels [N], under random orders of its points, without the
// constant log 1/N!. The same seed gives the same orders.
func LogProbs(net *models.Network, x []float32, labels []int32, orders int, seed uint64) ([]float64, error) {
	set, err := sampling.Encode(net, x, 1, len(labels))
	if err != nil {
		return nil, err
	}
	return logProbs(set, labels, orders, seed)
}

// logProbs is LogProbs of one set whose points are embedded. All orders are decoded in one call, which splits them over the cores:
// larger calls would not help.
func logProbs(set *sampling.Sets, labels []int32, orders int, seed uint64) ([]float64, error) {
	rng := data.Rand(seed, "orders", 0)
	sequences := make([]sampling.Sequence, orders)
	for i := range sequences {
		for _, point := range rng.Perm(len(labels)) {
			sequences[i].Order = append(sequences[i].Order, int32(point))
		}
	}
	result, err := set.Run(sequences, &sampling.Given{Labels: [][]int32{labels}})
	if err != nil {
		return nil, err
	}
	return result.LogProb, nil
}

// mostLikely returns the sample with the highest log p among some of a set, all drawn in its own order.
func mostLikely(set *sampling.Sets, seed uint64, samples int) ([]int32, error) {
	policy := sampling.NewAncestral(data.Rand(seed, "likely", 0), samples, set.N)
	drawn, err := set.Run(make([]sampling.Sequence, samples), policy)
	if err != nil {
		return nil, err
	}
	return drawn.Labels[descending(drawn.LogProb)[0]], nil
}

// sdppRule says how SDPP is measured on each set.
type sdppRule struct {
	Labels labelRule `json:"labels"`
	Orders int       `json:"orders"`
	Seed   uint64    `json:"seed"` // of the sets, and with a set's number of its orders
}

// sdppReader embeds the points of each set once. A whole pool, as newReader embeds it, holds more points than most measurements draw.
func sdppReader(net *models.Network, source data.Source) *reader {
	return &reader{net: net, source: source}
}

// values returns SD/mean of p(c|x) over random orders (paper, eq. eq:inv_metric) of some sets of a source, the first of a step's
// first. Number is that of the first in the stream: it seeds the orders, so that every model meets the same.
func (rule sdppRule) values(ctx context.Context, r *reader, step, number, sets int) ([]float64, error) {
	values := make([]float64, 0, sets)
	for ; len(values) < sets; step++ {
		batch, err := r.batch(rule.Seed, step, sets-len(values))
		if err != nil {
			return nil, fmt.Errorf("SDPP: %w", err)
		}
		for b := range batch.B {
			if ctx.Err() != nil {
				return nil, train.ErrInterrupted
			}
			at := number + len(values)
			v, err := rule.value(r.net, batch, b, rule.Seed+uint64(at))
			if err != nil {
				return nil, fmt.Errorf("SDPP of set %d: %w", at, err)
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// value returns SDPP of set b of a batch, whose points are embedded already.
func (rule sdppRule) value(net *models.Network, batch embedded, b int, seed uint64) (float64, error) {
	width := net.Config.Hidden
	from, to := b*batch.N*width, (b+1)*batch.N*width
	set, err := sampling.Embedded(net, batch.h[from:to], batch.u[from:to], 1, batch.N)
	if err != nil {
		return 0, err
	}
	labels := batch.Labels[b*batch.N : (b+1)*batch.N]
	if rule.Labels == likelyLabels {
		if labels, err = mostLikely(set, seed, sdppSamples); err != nil {
			return 0, err
		}
	}
	logs, err := logProbs(set, labels, rule.Orders, seed)
	if err != nil {
		return 0, err
	}
	return metrics.SDPP(logs)
}

// MeanSDPP is the mean over the first sets of a source of SD/mean of p(c|x) over random orders, on the data's labels
// (paper, eq. eq:inv_metric). Lower is more consistent; 0 is exact order invariance.
func MeanSDPP(net *models.Network, source data.Source, seed uint64, sets int) (float64, error) {
	rule := sdppRule{Labels: dataLabels, Orders: sdppOrders, Seed: seed}
	values, err := rule.values(context.Background(), sdppReader(net, source), 0, 0, sets)
	if err != nil {
		return 0, err
	}
	mean, _ := metrics.Summary(values)
	return mean, nil
}
