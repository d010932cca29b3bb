package tablesets

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/gfncp/gfncp/research/tables/interpreter"
)

//go:embed packages.R
var packagesScript string

// packagedNames are the sets that R packages carry, in the order of tables.
var packagedNames = []string{
	"crabs", "glass", "biopsy", "banknote", "thyroid", "diabetes", "hemophilia", "fish", "olitos", "vehicle", "vowel",
	"ionosphere", "sonar", "zoo", "pottery", "olive", "oils", "body",
}

// Packages are sets read from R packages, and what is missing for others: packages by the name of the set.
type Packages struct {
	Sets    []Set             `json:"sets"`
	Missing map[string]string `json:"missing"`
}

// Packaged reads the sets that installed R packages carry. Without R, or its package jsonlite, the error is an
// *interpreter.MissingError.
func Packaged(ctx context.Context) (Packages, error) {
	var read map[string]struct {
		Set
		Missing string `json:"missing"`
	}
	p := Packages{Missing: map[string]string{}}
	if err := interpreter.R.Run(ctx, packagesScript, map[string]any{"sets": packagedNames}, &read); err != nil {
		return p, fmt.Errorf("read sets of R packages: %w", err)
	}
	for _, name := range packagedNames {
		if found := read[name]; found.Missing != "" {
			p.Missing[name] = found.Missing
		} else {
			found.Name = name
			p.Sets = append(p.Sets, found.Set)
		}
	}
	return p, nil
}
