package data

import (
	"fmt"
	"math/rand/v2"

	"github.com/gfncp/gfncp/data/tables"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/partition"
)

// TableDim is the number of principal components of tables that networks see.
const TableDim = 16

// SourceTables is the name of the source of tables of numbers.
const SourceTables = "tables"

// tablesDescriptor describes tables that are drawn anew for each set.
var tablesDescriptor = Descriptor{
	Name: SourceTables, Title: "tables of numbers of many kinds", Shape: Drawn, Dim: TableDim, Alpha: 1,
}

// Tables is the source of tables of numbers of any kind (Config.Tables): each set is a table of its own, as a network
// sees it (tabular.View). N is shared by a batch.
type Tables struct{ config Config }

// NewTables returns the source that c describes, or the faults that c.Validate finds.
func NewTables(c Config) (*Tables, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Tables{c}, nil
}

// DefaultTables returns settings for the training of a table model: tables of 20 to 400 rows, 32 at a time.
func DefaultTables() Config {
	return Config{
		Source: SourceTables, Dim: TableDim, Batch: 32, NMin: 20, NMax: 400, AlphaMin: 1, AlphaMax: 1,
		MinK: 1, MaxK: tables.Default().MaxK, Mode: ModeGenerative, Stream: "train", Tables: tables.Default(),
	}
}

// IsTables reports whether the points are rows of tables that are drawn.
func (c Config) IsTables() bool { return c.Descriptor().Shape == Drawn }

// Dim returns D.
func (t *Tables) Dim() int { return t.config.Dim }

// Batch returns the batch of (seed, step): X [B,N,D] and canonical Labels [B,N].
func (t *Tables) Batch(seed uint64, step int) (*Batch, error) {
	c := t.config
	rng := Rand(seed, c.Stream, step)
	batch := NewBatch(c.Batch, c.NMin+rng.IntN(c.NMax-c.NMin+1), c.Dim)
	seeds := make([]uint64, c.Batch) // sets are drawn side by side, each from its own generator
	for i := range seeds {
		seeds[i] = rng.Uint64()
	}
	faults := make([]error, c.Batch)
	inParts(c.Batch, func(from, to int) {
		for i := from; i < to; i++ {
			faults[i] = t.fill(rand.New(rand.NewPCG(seeds[i], uint64(i))), batch.Slice(i, i+1))
		}
	})
	for i, err := range faults {
		if err != nil {
			return nil, fmt.Errorf("draw table %d of step %d: %w", i, step, err)
		}
	}
	return batch, nil
}

// fill draws a table. One whose columns are all constant, as a single rounded one may be, is drawn again.
func (t *Tables) fill(rng *rand.Rand, set *Batch) (err error) {
	const tries = 100
	for range tries {
		drawn := t.config.Tables.Draw(rng, set.N)
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
