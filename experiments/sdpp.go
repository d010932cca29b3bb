package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// SDPPPoints is the size of the sets on which SDPP is measured (published code).
const SDPPPoints = 20

// sdppOrders is the number of random orders of one set (paper, section "Data-order invariance metrics").
const sdppOrders = 500

// LogProbs returns log p(c|x) of a labelled set, x [N,D] and labels [N], under random orders of its points, without the
// constant log 1/N!. The same seed gives the same orders.
func LogProbs(net *models.Network, x []float32, labels []int32, orders int, seed uint64) ([]float64, error) {
	n, d := len(labels), net.Config.Dim
	rng := data.Rand(seed, "orders", 0)
	logs := make([]float64, 0, orders)
	const most = 250 // sets a call, so that memory stays bounded
	for len(logs) < orders {
		count := min(most, orders-len(logs))
		xs, ls := make([]float32, 0, count*n*d), make([]int32, 0, count*n)
		for range count {
			permuted := make([]int32, 0, n)
			for _, i := range rng.Perm(n) {
				xs = append(xs, x[i*d:(i+1)*d]...)
				permuted = append(permuted, labels[i])
			}
			partition.Renumber(permuted)
			ls = append(ls, permuted...)
		}
		tables, err := net.Tables(xs, ls, count, n)
		if err != nil {
			return nil, err
		}
		for i, table := range tables {
			logProb, err := metrics.LogProb(table, ls[i*n:(i+1)*n])
			if err != nil {
				return nil, fmt.Errorf("order %d: %w", len(logs), err)
			}
			logs = append(logs, logProb)
		}
	}
	return logs, nil
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
