package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// SDPPPoints is the size of the sets on which SDPP is measured (published code).
const SDPPPoints = 20

// sdppOrders is the number of random orders of one set (paper, section "Data-order invariance metrics").
const sdppOrders = 500

// LogProbs returns log p(c|x) of a labelled set, x [N,D] and labels [N], under random orders of its points, without the
// constant log 1/N!. The same seed gives the same orders.
func LogProbs(net *models.Network, x []float32, labels []int32, orders int, seed uint64) ([]float64, error) {
	sets, err := sampling.Encode(net, x, 1, len(labels))
	if err != nil {
		return nil, err
	}
	rng := data.Rand(seed, "orders", 0)
	sequences := make([]sampling.Sequence, orders)
	for i := range sequences {
		for _, point := range rng.Perm(len(labels)) {
			sequences[i].Order = append(sequences[i].Order, int32(point))
		}
	}
	result, err := sets.Run(sequences, &sampling.Given{Labels: [][]int32{labels}})
	if err != nil {
		return nil, err
	}
	return result.LogProb, nil
}

// MeanSDPP is the mean over the first sets of a source of SD/mean of p(c|x) over random orders, on the data's labels
// (paper, eq. eq:inv_metric). Lower is more consistent; 0 is exact order invariance.
func MeanSDPP(net *models.Network, source data.Source, seed uint64, sets int) (float64, error) {
	var total float64
	done := 0
	for step := 0; done < sets; step++ {
		batch, err := source.Batch(seed, step)
		if err != nil {
			return 0, err
		}
		for b := 0; b < batch.B && done < sets; b++ {
			x, labels := batch.Set(b)
			logs, err := LogProbs(net, x, labels, sdppOrders, seed+uint64(done))
			if err != nil {
				return 0, fmt.Errorf("SDPP of set %d: %w", done, err)
			}
			sdpp, err := metrics.SDPP(logs)
			if err != nil {
				return 0, fmt.Errorf("SDPP of set %d: %w", done, err)
			}
			total += sdpp
			done++
		}
	}
	return total / float64(sets), nil
}
