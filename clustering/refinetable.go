package clustering

import (
	"context"
	"fmt"
)

// refineTable runs the chains of Exact, on the posterior of Gaussian clusters of any shape, from the network's samples
// on, and sets the network's own numbers aside. The network's prior has other clusters, too, so this is another law,
// not the network's made exact: it is done only where the user asks for it (Options.Refine).
func (p *prepared) refineTable(ctx context.Context, o Options, own *own) (*refined, error) {
	t, _, warnings, err := o.ellipsoids(p.rows, p.n, len(p.rows)/p.n)
	if err != nil {
		return nil, err
	}
	t.stream = "cluster/refine"
	draws, r, err := t.sample(ctx, o, own.samples)
	if err != nil {
		return nil, fmt.Errorf("sample Gaussian clusters: %w", err)
	}
	found, err := t.clusters(o, draws, r)
	if err != nil {
		return nil, err
	}
	prior, err := t.prior.KLaw(p.n)
	if err != nil {
		return nil, err
	}
	network := newNetworkResult(own)
	r.Network = &network
	p.warnings = append(p.warnings, warnings...)
	p.warnRefined(r)
	p.warnGaussian(r)
	return &refined{Refinement: r, samples: found.samples(), law: found.law(), prior: prior}, nil
}
