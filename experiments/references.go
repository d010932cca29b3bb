package experiments

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/data"
)

// reference is a way to cluster mixtures of Gaussians that needs no training: what it reaches bounds what a model can.
type reference string

const (
	oracle reference = "oracle" // knows the components and their weights (data.MoG.BatchWithOracle)
	gibbs  reference = "gibbs"  // knows the generating process: collapsed Gibbs sampling
)

// reference evaluates a reference on the sets of a test, or reuses an earlier evaluation.
func (l *Lab) reference(ctx context.Context, r reference, t Test) (outcome, error) {
	if l.plan != nil {
		return outcome{}, errNotTrained
	}
	dir := filepath.Join(l.Runs, "reference-"+string(r))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return outcome{}, fmt.Errorf("keep the evaluation of %s: %w", r, err)
	}
	l.say("%s: %d sets", r, t.Sets)
	q, err := kept(dir, t, func() (Quality, error) { return r.evaluate(ctx, t) })
	return outcome{Reference: true, Quality: q}, err
}

func (r reference) evaluate(ctx context.Context, t Test) (Quality, error) {
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return Quality{}, err
	}
	return eachBatch(ctx, source, t.Seed, t.Sets, func(step int, batch *data.Batch) ([][]int32, error) {
		if r == gibbs {
			return gibbsLabels(t, step, source)
		}
		_, labels, err := source.BatchWithOracle(t.Seed, step)
		found := make([][]int32, batch.B)
		for b := range found {
			found[b] = labels[b*batch.N : (b+1)*batch.N]
		}
		return found, err
	})
}
