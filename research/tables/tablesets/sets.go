// Package tablesets holds the labelled tables of numbers that clusterings are judged on: real ones, some shipped and
// some read from installed R packages, and synthetic ones that scikit-learn draws (README.md).
package tablesets

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/research/tables/interpreter"
)

// Set is a labelled table.
type Set struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"` // of a synthetic set; empty for a real one
	D      int       `json:"d"`
	X      []float64 `json:"x"`      // [N,D], row by row
	Labels []int32   `json:"labels"` // [N]
}

// N is the number of points.
func (s Set) N() int { return len(s.Labels) }

// K is the number of classes.
func (s Set) K() int { return metrics.Clusters(s.Labels) }

// Standardized returns the set with its varying columns standardized.
func (s Set) Standardized() (Set, error) {
	r, err := tabular.Principal(s.X, s.N(), s.D, 1, true)
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.Name, err)
	}
	var x []float64
	for row := range slices.Chunk(s.X, s.D) {
		for j, v := range row {
			if r.Scale[j] > 0 {
				x = append(x, r.Scale[j]*(v-r.Mean[j]))
			}
		}
	}
	s.X, s.D = x, len(x)/s.N()
	return s, nil
}

//go:embed sets/*.csv.gz
var shippedFiles embed.FS

var shippedNames = []string{"iris", "penguins", "wine", "breast-cancer", "digits"}

// Shipped returns the sets that the program carries.
func Shipped() (sets []Set) {
	for _, name := range shippedNames {
		sets = append(sets, shipped(name))
	}
	return sets
}

// shipped reads an embedded file with a head, whose last column is the label.
func shipped(name string) Set {
	packed := must.M1(shippedFiles.ReadFile("sets/" + name + ".csv.gz"))
	rows := must.M1(csv.NewReader(must.M1(gzip.NewReader(bytes.NewReader(packed)))).ReadAll())
	s := Set{Name: name, D: len(rows[0]) - 1}
	var classes []string
	for _, row := range rows[1:] {
		for _, number := range row[:s.D] {
			s.X = append(s.X, must.M1(strconv.ParseFloat(number, 64)))
		}
		classes = text.AppendNew(classes, row[s.D])
		s.Labels = append(s.Labels, int32(slices.Index(classes, row[s.D])))
	}
	return s
}

//go:embed synthetic.py
var syntheticScript string

// Drawing says which synthetic sets are drawn: Each of every kind, with log-uniform numbers of points.
type Drawing struct {
	Each   int    `json:"each"`
	Points [2]int `json:"points"`
	Seed   uint64 `json:"seed"`
}

// Key is the same for drawings of the same sets.
func (d Drawing) Key() any { return []any{syntheticScript, d} }

// Draw draws the sets by scikit-learn, one of each kind after another.
func (d Drawing) Draw(ctx context.Context) (sets []Set, err error) {
	if err := interpreter.Python.Run(ctx, syntheticScript, d, &sets); err != nil {
		return nil, fmt.Errorf("draw synthetic sets: %w", err)
	}
	return sets, nil
}

//go:embed packages.R
var packagesScript string

// packagedNames are the sets that R packages carry, in the order of tables.
var packagedNames = []string{
	"crabs", "glass", "biopsy", "banknote", "thyroid", "diabetes", "hemophilia", "fish", "olitos", "vehicle", "vowel",
	"ionosphere", "sonar", "zoo", "pottery", "olive", "oils", "body",
}

// Packaged reads the sets that R packages carry.
func Packaged(ctx context.Context) (sets []Set, err error) {
	var read map[string]Set
	if err := interpreter.R.Run(ctx, packagesScript, map[string]any{"sets": packagedNames}, &read); err != nil {
		return nil, fmt.Errorf("read sets of R packages: %w", err)
	}
	for _, name := range packagedNames {
		set := read[name]
		set.Name = name
		sets = append(sets, set)
	}
	return sets, nil
}
