package clustering

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// An energy table is computed at once, with about so many bytes for each pair of points and for each entry.
const (
	bytesPerPair  = 50
	bytesPerEntry = 5000
	mostBytes     = 3e9
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
	bytes := bytesPerPair*float64(p.n)*float64(p.n) + bytesPerEntry*float64(candidates(canon))
	err := memory.Demand(bytes, "the energy table", "give fewer points")
	if err == nil && bytes > mostBytes {
		err = usererr.New("give fewer points", "the energy table of %d points takes more than 3 GB", p.n)
	}
	if err != nil {
		if energies {
			return err
		}
		p.warn("mc and mc_eps are left out: %v", err)
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

// candidates returns Σ_{n≥2} (K_n+1), the entries of the energy table of canonical labels.
func candidates(canon []int32) (rows int) {
	k := int32(0)
	for n, c := range canon {
		if n > 0 {
			rows += int(k) + 1
		}
		k = max(k, c+1)
	}
	return rows
}

// scoreRandomOrders computes the log-probability of the labels in each order, and SDPP.
func (r *ScoreResult) scoreRandomOrders(ctx context.Context, p *prepared, canon []int32, o Options) error {
	r.LogProb = make([]float64, 0, o.Orders)
	sets, err := sampling.EncodeContext(ctx, p.net, p.x, 1, p.n)
	if err != nil {
		return err
	}
	for len(r.LogProb) < o.Orders {
		group := min(groupSize(p.n), mostStates(p.net, r.K))
		sequences := make([]sampling.Sequence, min(o.Orders-len(r.LogProb), group))
		for i := range sequences {
			sequences[i].Order = data.Order(data.Rand(o.Seed, "score/order", len(r.LogProb)+i), p.n)
		}
		labels := slices.Repeat([][]int32{canon}, len(sequences))
		scored, err := finite(sets.Run(sequences, sampling.Given(labels)))
		if err != nil {
			return err
		}
		r.LogProb = append(r.LogProb, scored.LogProb...)
	}
	if o.Orders < 2 {
		p.warn("sdpp needs at least 2 orders, but there are %d", o.Orders)
		return nil
	}
	sdpp, err := metrics.SDPP(r.LogProb)
	if err != nil {
		return err
	}
	r.SDPP = &sdpp
	return nil
}

// mostStates returns how many sequences of k clusters may be decoded at a time in an eighth of the memory.
func mostStates(net *models.Network, k int) int {
	bytes := float64(max(k, 1)) * float64(20*net.Config.Width()+12*net.Config.StateWidth())
	return max(1, int(min(memory.Limit()/8/bytes, math.MaxInt32)))
}
