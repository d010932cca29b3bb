package tablesets

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/gfncp/gfncp/research/tables/interpreter"
)

//go:embed synthetic.py
var syntheticScript string

// Drawing says which synthetic sets are drawn: so many of each kind, with numbers of points that are log-uniform
// between the least and the most.
type Drawing struct {
	Each   int    `json:"each"`
	Points [2]int `json:"points"`
	Seed   uint64 `json:"seed"`
}

// Key is the same for drawings of the same sets.
func (d Drawing) Key() any { return []any{syntheticScript, d} }

// Draw draws the sets by scikit-learn: the first of each kind, the second of each, and so on. Without it the error is
// an *interpreter.MissingError.
func (d Drawing) Draw(ctx context.Context) (sets []Set, err error) {
	if err := interpreter.Python.Run(ctx, syntheticScript, d, &sets); err != nil {
		return nil, fmt.Errorf("draw synthetic sets: %w", err)
	}
	return sets, nil
}
