package evaluation

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

const (
	// SDPPPoints is the size of the sets on which SDPP is measured (published code).
	SDPPPoints = 20
	// SDPPOrders is the number of random orders of one set (paper, section "Data-order invariance metrics").
	SDPPOrders = 500
	// SDPPSamples is the number of samples among which the most likely labels are chosen (published code).
	SDPPSamples = 100
)

// LabelRule says for which labels SDPP is computed.
type LabelRule string

const (
	// DataLabels are the true clusters, (c,x) ~ p_data (paper, section "Data-order invariance metrics").
	DataLabels LabelRule = "data"
	// LikelyLabels are the model's most likely of SDPPSamples samples in the set's own order (published code).
	LikelyLabels LabelRule = "likely"
)

// SDPP says how SDPP is measured on each set.
type SDPP struct {
	Labels LabelRule `json:"labels"`
	Orders int       `json:"orders"`
	Seed   uint64    `json:"seed"` // of the sets, and with a set's number of its orders
}

// Values returns SD/mean of p(c|x) over random orders (paper, eq. eq:inv_metric) of the first sets. A set's number
// seeds its orders, so that every model meets the same.
func (s SDPP) Values(ctx context.Context, r *Reader, sets int) ([]float64, error) {
	values := make([]float64, 0, sets)
	err := r.Each(ctx, s.Seed, sets, func(set Set) error {
		v, err := s.value(set)
		values = append(values, v)
		return err
	})
	return values, err
}

func (s SDPP) value(set Set) (_ float64, err error) {
	seed, labels, decoding := s.Seed+uint64(set.Number), set.Labels, set.Decoding()
	if s.Labels == LikelyLabels {
		if labels, err = mostLikely(decoding, seed, SDPPSamples); err != nil {
			return 0, err
		}
	}
	logs, err := OverOrders(decoding, labels, s.Orders, seed)
	if err != nil {
		return 0, err
	}
	return metrics.SDPP(logs)
}

// OverOrders returns log p(c|x) of labels [N] of an embedded set under random orders of its points, without the
// constant log 1/N!. The same seed gives the same orders.
func OverOrders(set *sampling.Sets, labels []int32, orders int, seed uint64) ([]float64, error) {
	rng := data.Rand(seed, "orders", 0)
	sequences := make([]sampling.Sequence, orders)
	for i := range sequences {
		sequences[i].Order = data.Order(rng, len(labels))
	}
	result, err := set.Run(sequences, sampling.Given(slices.Repeat([][]int32{labels}, orders)))
	if err != nil {
		return nil, err
	}
	return result.LogProb, nil
}

// mostLikely returns the sample with the highest log p among some of a set, all drawn in its own order.
func mostLikely(set *sampling.Sets, seed uint64, samples int) ([]int32, error) {
	policy := sampling.Ancestral(data.Rand(seed, "likely", 0), samples, set.N)
	drawn, err := set.Run(make([]sampling.Sequence, samples), policy)
	if err != nil {
		return nil, err
	}
	return drawn.Labels[floats.MaxIdx(drawn.LogProb)], nil
}

// MeanSDPP is the mean over the first sets of a source of SD/mean of p(c|x) over SDPPOrders random orders, on the
// data's labels (paper, eq. eq:inv_metric). Lower is more consistent; 0 is exact order invariance.
func MeanSDPP(ctx context.Context, net *models.Network, source data.Source, seed uint64, sets int) (float64, error) {
	rule := SDPP{Labels: DataLabels, Orders: SDPPOrders, Seed: seed}
	values, err := rule.Values(ctx, &Reader{Net: net, Source: source}, sets)
	return stat.Mean(values, nil), err
}
