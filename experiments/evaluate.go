package experiments

import (
	"context"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
)

// evaluate measures weights on a test, and what has energies also by the published code's MC, on sets that share a
// labelling.
func (l *Lab) evaluate(ctx context.Context, w weights, t evaluation.Test) (o outcome, err error) {
	o.weights = w
	if w.Config.IsPeer() {
		o.quality, err = l.quality(ctx, w.dir, w.Model, t)
		return o, err
	}
	evaluator := sync.OnceValues(func() (*evaluation.Evaluator, error) {
		net, err := w.Network(l.Backend)
		return evaluation.NewEvaluator(net), err
	})
	o.quality, err = cached.Value(w.dir, t, func() (evaluation.Quality, error) {
		return evaluateOn(ctx, l, evaluator, t, (*evaluation.Evaluator).Quality)
	})
	if err != nil {
		return o, err
	}
	t = publishedTest(t)
	o.published, err = cached.Value(w.dir, publishedKey{t}, func() (float64, error) {
		return evaluateOn(ctx, l, evaluator, t, (*evaluation.Evaluator).PublishedMC)
	})
	return o, err
}

// evaluateOn measures something of a network on the sets of a test.
func evaluateOn[V any](
	ctx context.Context, l *Lab, open func() (*evaluation.Evaluator, error), t evaluation.Test,
	measure func(e *evaluation.Evaluator, ctx context.Context, source data.Source, seed uint64, sets int) (V, error),
) (v V, err error) {
	source, err := l.source(t.Data)
	if err != nil {
		return v, err
	}
	e, err := open()
	if err != nil {
		return v, err
	}
	return measure(e, ctx, source, t.Seed, t.Sets)
}

// publishedTest is where the published code's MC is taken.
func publishedTest(t evaluation.Test) evaluation.Test {
	t.Data.Shared, t.Data.Batch = true, publishedBatch
	t.Sets = min(t.Sets, publishedSets)
	return t
}

// publishedKey names that number among those that are kept of weights.
type publishedKey struct {
	PublishedMC evaluation.Test `json:"published_mc"`
}

// Over so many sets, in batches of so many that share a labelling.
const (
	publishedSets  = 64
	publishedBatch = 8
)
