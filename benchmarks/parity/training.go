package parity

import (
	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

type trained struct {
	name, model string
	beta        float64 // GFNCP's probability of a step on the data's labels
	sampled     bool    // the loss depends on a sample from the model
}

// trainingCases are the training steps compared: three of the energy network, and one of each peer. Image networks are
// left out: dropout draws from the backend's own stream.
func trainingCases() (cases []Case) {
	all := []trained{
		{"train ncp", train.NCP, 1, false},
		{"train gfncp, data step", train.GFNCP, 1, true},
		{"train gfncp, exploration step", train.GFNCP, 0, false},
	}
	for _, k := range train.Kinds() {
		if !k.Energies() {
			all = append(all, trained{"train " + k.Name, k.Name, 1, false})
		}
	}
	for _, m := range all {
		cases = append(cases, Case{m.name, m.open})
	}
	return cases
}

// config is the paper's setting on eight sets of 24 points, in one shard, as on an accelerator: peers draw by shard.
func (m trained) config() train.Config {
	c := train.Default(m.model)
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 8, 24, 24
	c.Loss.Beta = m.beta
	c.Train.Shards = 1
	return c
}

// open takes two optimizer steps a run: the loss of the second shows whether the first moved the weights by the same
// amounts.
func (m trained) open(backend compute.Backend) (func() ([]Quantity, error), error) {
	t, err := m.trainer(backend)
	return func() (all []Quantity, err error) {
		for _, name := range []string{"first step", "second step"} {
			r, err := t.Advance()
			if err != nil {
				return nil, err
			}
			all = append(all, m.quantities(name, r)...)
		}
		return all, nil
	}, err
}

// trainedStream gives weights of the formula under which relative changes of 4e-7 of every weight move losses and norms
// of the first step by less than 1e-5. With other streams, such as 1, 3 and 5, one of them pushes a ReLU over its kink
// and the norm of "train ncp" moves by 3e-4 to 1e-3: processors that sum in another order differ as much.
const trainedStream = 4

// trainer begins with the formula's weights, under which the energies differ. With fresh weights they are nearly equal,
// and gradients near zero show no difference. Peers begin with fresh weights.
func (m trained) trainer(backend compute.Backend) (*train.Trainer, error) {
	c := m.config()
	if c.IsPeer() {
		return train.New(backend, sources.Source, c)
	}
	return train.Open(backend, sources.Source, c, weights(c.Net, trainedStream))
}

// quantities are the loss, its terms and the gradient norm of a step. The second step depends on the signs of the first
// gradient, because Adam's first step does.
func (m trained) quantities(name string, r train.StepReport) []Quantity {
	terms, all := rounded, rounded
	switch {
	case r.Step > 1:
		terms, all = turned, turned
	case m.sampled:
		all = decided
	}
	qs := []Quantity{
		{name + ", loss", float32s([]float64{r.Loss}), all},
		{name + ", gradient norm", float32s([]float64{r.GradNorm}), all},
	}
	if !m.config().IsPeer() {
		qs = append(qs, Quantity{
			name + ", terms without a sample",
			float32s([]float64{r.Terms["mc"], r.Terms["reg"], r.Terms["nll"]}), terms,
		})
	}
	return qs
}
