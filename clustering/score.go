package clustering

import (
	"context"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// An energy table is computed at once, with about so many bytes for each pair of points and for each entry.
const (
	bytesPerPair  = 50
	bytesPerEntry = 5000
)

// ScoreResult tells how probable given labels are under a model. Scripts read its JSON form (SchemaVersion).
type ScoreResult struct {
	SchemaVersion int `json:"schema_version"`
	// Model names the weights; the caller of Score must set it.
	Model string `json:"model"`
	Seed  uint64 `json:"seed"`
	// K is the number of clusters of the given labels.
	K int `json:"k"`
	// LogProb [R] is log p(c|x) in each random order, without the constant log 1/N!.
	LogProb []float64 `json:"log_prob"`
	// SDPP is the relative spread of p(c|x) over the orders (metrics.SDPP); nil for fewer than 2 orders.
	SDPP *float64 `json:"sdpp"`
	// MC and MCEps are the marginal-consistency losses (metrics.MC) in the order of the input. They are nil, with a
	// warning, if their table of energies needs too much memory.
	MC    *float64 `json:"mc"`
	MCEps *float64 `json:"mc_eps"`
	// Energies [N−1]: for each point from the second on, the energies of its K_n+1 candidates, given the labels before
	// it in the order of the input. It is nil unless Options.Energies is set.
	Energies metrics.EnergyTable `json:"energies,omitempty"`
	// Center [D] and ScaleFactor are as in Result.
	Center      []float32 `json:"center"`
	ScaleFactor float64   `json:"scale_factor"`
	// Warnings tell why the result may be unreliable, one line each.
	Warnings []string `json:"warnings"`
}

// Score returns the log-probability of labels [n] of the n points x [n,d], row-major, in random orders, and consistency
// losses. Labels may be any numbers. known and the errors are as for Cluster. Time O((R+1)·N·K) network rows.
func Score(
	ctx context.Context, net *models.Network, known data.Config, x []float32, n, d int, labels []int32, o Options,
) (*ScoreResult, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(labels) != n {
		return nil, fmt.Errorf("score %d labels of %d points: %w", len(labels), n, metrics.ErrLength)
	}
	p, err := input{net, known, x, n, d}.prepare(o.Scale)
	if err != nil {
		return nil, err
	}
	canon, k := metrics.Canonical(labels)
	r := &ScoreResult{SchemaVersion: SchemaVersion, Seed: o.Seed, K: k, Center: p.center, ScaleFactor: p.factor}
	p.warnClusters("the labels have", k)
	if err := r.scoreOwnOrder(p, canon, o.Energies); err != nil {
		return nil, err
	}
	if err := r.scoreRandomOrders(ctx, p, canon, o); err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	r.Warnings = p.warnings
	return r, nil
}

// scoreOwnOrder computes the energy table in the input's order, and from it MC, MCEps and Energies.
func (r *ScoreResult) scoreOwnOrder(p *prepared, canon []int32, energies bool) error {
	n := float64(p.n)
	bytes := bytesPerPair*n*n + bytesPerEntry*n*float64(r.K+1)
	if err := memory.Demand(bytes, "the energy table", "give fewer points"); err != nil && energies {
		return err
	} else if err != nil {
		p.warn(true, "mc and mc_eps are left out: %v", err)
		return nil
	}
	tables, err := p.net.Tables(p.x, canon, 1, p.n)
	if err != nil {
		return fmt.Errorf("score: %w", err)
	}
	table := metrics.EnergyTable(tables[0])
	mc, err := metrics.MC(table, canon)
	if err != nil {
		return overflow(err)
	}
	r.MC, r.MCEps = &mc.MC, &mc.MCEps
	if energies {
		r.Energies = table[1:]
	}
	return nil
}

// scoreRandomOrders computes the log-probability of the labels in each order, and SDPP.
func (r *ScoreResult) scoreRandomOrders(ctx context.Context, p *prepared, canon []int32, o Options) error {
	d, err := p.decoder(ctx, o.Seed, "score/order")
	if err != nil {
		return err
	}
	orders := make([]int, o.Orders)
	for i := range orders {
		orders[i] = i
	}
	if r.LogProb, err = d.given(slices.Repeat([][]int32{canon}, o.Orders), orders); err != nil {
		return err
	}
	if o.Orders < 2 {
		p.warn(true, "sdpp needs at least 2 orders, but there are %d", o.Orders)
		return nil
	}
	sdpp, err := metrics.SDPP(r.LogProb)
	r.SDPP = &sdpp
	return err
}
