package evaluation

import (
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/train"
)

// jointed are the values of one statistic by the two simulators of the joint distribution test.
type jointed struct {
	independent []float64 // of sets drawn by the law
	chains      []float64 // of the successive-conditional simulator, chain after chain
}

// The chains count as many steps as there are chains: metrics.GewekeZ cuts M values into √M batches of equal length, which then
// are the chains, each independent of the others however slow it moves. Well separated clusters are slow to merge or split, for
// new points given a partition show that partition.

// steps is the number of steps of a chain that count.
func (r *checkRun) steps() int { return r.settings.Chains }

// burnIn is the number of steps of a chain that do not count. An exact model needs none, for the chains start in the joint law;
// the faults of another one add up meanwhile.
func (r *checkRun) burnIn() int { return r.settings.Chains / 4 }

// independentDraws is the number of independent draws a chain: enough to have the smaller error.
const independentDraws = 64

// joint runs both simulators.
func (r *checkRun) joint() ([]jointed, error) {
	found := make([]jointed, len(checkStatistics))
	reader, err := r.law.reader("check/joint/independent", independentDraws)
	if err != nil {
		return nil, err
	}
	for sets, err := range reader.batches(r.ctx, r.settings.Seed, 0, r.settings.Chains*independentDraws) {
		if err != nil {
			return nil, err
		}
		all, err := r.law.ofSets(sets.Batch)
		if err != nil {
			return nil, err
		}
		for _, values := range all {
			for i, v := range values {
				found[i].independent = append(found[i].independent, v)
			}
		}
	}
	return found, r.chains(found)
}

// chains runs all chains side by side: in turn c from the model given x, and x from the law given c.
func (r *checkRun) chains(found []jointed) error {
	chains, steps, burnIn := r.settings.Chains, r.steps(), r.burnIn()
	reader, err := r.law.reader("check/joint/start", chains)
	if err != nil {
		return err
	}
	state, err := reader.Source.Batch(r.settings.Seed, 0)
	if err != nil {
		return err
	}
	for i := range found {
		found[i].chains = make([]float64, chains*steps)
	}
	for step := range burnIn + steps {
		if r.ctx.Err() != nil {
			return train.ErrInterrupted
		}
		if err := r.advance(state, step); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		r.settings.Progress("joint distribution test, steps", step+1, burnIn+steps)
		if step < burnIn {
			continue
		}
		all, err := r.law.ofSets(state)
		if err != nil {
			return err
		}
		for b, values := range all {
			for i, v := range values {
				found[i].chains[b*steps+step-burnIn] = v
			}
		}
	}
	return nil
}

// advance takes every chain one step.
func (r *checkRun) advance(state *data.Batch, step int) error {
	drawn, err := r.sampler.Sample(data.Rand(r.settings.Seed, "check/joint/draws", step), state.X, state.B, state.N)
	if err != nil {
		return err
	}
	rng := data.Rand(r.settings.Seed, "check/joint/points", step)
	for b, found := range drawn {
		x, labels := state.Set(b)
		copy(labels, found)
		r.law.redraw(rng, labels, x)
	}
	return nil
}
