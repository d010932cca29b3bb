package mixture

import (
	"errors"
	"fmt"
	"slices"
)

// errShapes says that the parts of a saved mixture do not fit together. A checksum finds damage; these checks find
// files that another program has written, so that predicting by them cannot leave a slice.
var errShapes = errors.New("the columns, levels and clusters of the mixture do not fit together")

// checkClusters returns an error unless the clusters have the shapes of the columns and levels.
func (f *Fit) checkClusters() error {
	levels := f.first[len(f.first)-1]
	if len(f.Clusters) == 0 || f.dim+levels == 0 || !(f.Degrees >= 0) {
		return errShapes
	}
	for k, c := range f.Clusters {
		fits := len(c.Mean) == f.dim && len(c.Covariance) == f.dim*(f.dim+1)/2 && len(c.LogLevels) == levels &&
			c.Weight > 0 && c.Rows >= 0
		for d := 0; fits && d < f.dim; d++ {
			fits = c.Covariance[d*(d+3)/2] > 0
		}
		if !fits {
			return fmt.Errorf("cluster %d: %w", k+1, errShapes)
		}
	}
	return nil
}

// fits reports whether the encoder reads tables of so many columns of numbers and categories.
func (e *encoder) fits(width, categories int) bool {
	outside := func(column int) bool { return column < 0 || column >= width }
	badSentinel := func(s sentinel) bool { return slices.ContainsFunc(s.Columns, outside) }
	badNumber := func(n number) bool {
		return outside(n.Column) || !(n.Scale > 0) || len(n.Knots) == 1 || !slices.IsSorted(n.Knots)
	}
	badIndicators := func(all []indicator) bool {
		return slices.ContainsFunc(all, func(i indicator) bool { return outside(i.Column) })
	}
	negative := func(levels int) bool { return levels < 0 }
	if slices.ContainsFunc(e.Missing, badSentinel) || slices.ContainsFunc(e.Numbers, badNumber) ||
		slices.ContainsFunc(e.Indicators, badIndicators) || len(e.Categories) != categories ||
		slices.ContainsFunc(e.Categories, negative) {
		return false
	}
	p := e.Projection
	if p == nil {
		return true
	}
	short := func(axis []float64) bool { return len(axis) != len(e.Numbers) }
	return len(p.Centre) == len(p.Axes) && len(p.Scale) == len(p.Axes) && !slices.ContainsFunc(p.Axes, short)
}
