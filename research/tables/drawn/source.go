package drawn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/partition"
)

func init() {
	data.RegisterTables(func(c data.Config) (data.Source, error) { return NewTables(c) })
}

// Tables is the source of drawn tables, each as a network sees it (tabular.View). N is shared by a batch.
type Tables struct{ config data.Config }

// NewTables returns the source that c describes, or its faults.
func NewTables(c data.Config) (*Tables, error) {
	if err := errors.Join(c.Validate(), Config(c.Tables).Validate()); err != nil {
		return nil, err
	}
	return &Tables{c}, nil
}

// Dim returns D.
func (t *Tables) Dim() int { return t.config.Dim }

// Batch returns the batch of (seed, step): X [B,N,D] and canonical Labels [B,N].
func (t *Tables) Batch(seed uint64, step int) (*data.Batch, error) {
	c := t.config
	rng := data.Rand(seed, c.Stream, step)
	batch := data.NewBatch(c.Batch, c.NMin+rng.IntN(c.NMax-c.NMin+1), c.Dim)
	seeds := make([]uint64, c.Batch) // sets are drawn side by side, each from its own generator
	for i := range seeds {
		seeds[i] = rng.Uint64()
	}
	faults := make([]error, c.Batch)
	var wg sync.WaitGroup
	for i := range faults {
		wg.Go(func() { faults[i] = t.fill(rand.New(rand.NewPCG(seeds[i], uint64(i))), batch.Slice(i, i+1)) })
	}
	wg.Wait()
	for i, err := range faults {
		if err != nil {
			return nil, fmt.Errorf("draw table %d of step %d: %w", i, step, err)
		}
	}
	return batch, nil
}

// fill draws a table. One whose columns are all constant, as a single rounded one may be, is drawn again.
func (t *Tables) fill(rng *rand.Rand, set *data.Batch) (err error) {
	const tries = 100
	for range tries {
		drawn := Config(t.config.Tables).Draw(rng, set.N)
		var view tabular.View
		if view, err = tabular.NewView(drawn.X, set.N, drawn.Columns, set.D); err != nil {
			continue
		}
		copy(set.X, view.Apply(drawn.X))
		copy(set.Labels, drawn.Labels)
		partition.Renumber(set.Labels)
		return nil
	}
	return err
}
