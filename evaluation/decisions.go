package evaluation

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

const (
	decisionParts  = 10  // equal parts of a set, by decisions
	decisionSweeps = 150 // sweeps behind each exact decision,
	decisionBurnIn = 15  // after so many
)

// Decisions compares the decisions of a network on the true labels of sets, in the order of the points, with the exact
// ones (posterior.Gibbs.Decisions). On sets of the prior the mean of Excess is the divergence KL(exact‖model) of the
// whole law; its parts tell where it comes from: early decisions need foresight, the last one has LastDecision.
type Decisions struct {
	Sets  int     `json:"sets"`
	Model float64 `json:"model"` // −log p(c|x) of the network, in nats a set
	Exact float64 `json:"exact"` // the same of the posterior
	// Parts is Model less Exact in each tenth of the decisions: their sum is Excess.
	Parts [decisionParts]float64 `json:"parts"`
}

// Excess is Model less Exact.
func (d Decisions) Excess() float64 { return d.Model - d.Exact }

// Early is the excess of the first fifth of the decisions.
func (d Decisions) Early() float64 { return d.Parts[0] + d.Parts[1] }

// InTurn compares on the sets of all tests, which are mixtures. Cancelling ctx ends it between two sets with
// train.ErrInterrupted.
func InTurn(ctx context.Context, net *models.Network, tests ...Test) (d Decisions, err error) {
	for _, t := range tests {
		for set, err := range uncentred(ctx, t) {
			if err != nil {
				return d, err
			}
			if err := d.add(net, t, set); err != nil {
				return d, fmt.Errorf("set %d: %w", set.Number, err)
			}
		}
	}
	for _, v := range append([]*float64{&d.Model, &d.Exact}, d.parts()...) {
		*v /= float64(d.Sets)
	}
	return d, nil
}

func (d *Decisions) parts() (parts []*float64) {
	for i := range d.Parts {
		parts = append(parts, &d.Parts[i])
	}
	return parts
}

func (d *Decisions) add(net *models.Network, t Test, set uncentredSet) error {
	tables, err := net.Tables(set.X, set.Labels, 1, set.N)
	if err != nil {
		return err
	}
	g := posterior.Gibbs{
		Model: likelihoodOf(t.Data), Prior: priorOf(t.Data), BurnIn: decisionBurnIn, Samples: decisionSweeps,
	}
	exact, err := g.Decisions(data.Rand(t.Seed, "decisions", set.Number), set.original, set.Labels)
	if err != nil {
		return err
	}
	d.Sets++
	for n, row := range tables[0] {
		if n == 0 {
			continue
		}
		logProb, err := logProbs(row)
		if err != nil {
			return err
		}
		model := -logProb[set.Labels[n]]
		d.Model, d.Exact = d.Model+model, d.Exact-exact[n]
		d.Parts[n*decisionParts/set.N] += model + exact[n]
	}
	return nil
}
