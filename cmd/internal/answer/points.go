package answer

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
)

// MostShown is the largest number of points in a picture: more hide each other, and the file is slow to open.
const MostShown = 20_000

// PlaneOf returns the points [N,2] on their first two principal components, 0 for a missing component.
func PlaneOf(in *files.Input) []float32 {
	points, plane := data.Float64s(in.X), make([]float32, 2*in.Len())
	r, err := tabular.Principal(points, in.Len(), in.D, 2, false)
	if err != nil { // all points are equal
		return plane
	}
	kept := len(r.Components)
	for i, v := range r.Apply(points) {
		plane[i/kept*2+i%kept] = float32(v)
	}
	return plane
}

// OwnProbabilities returns the probability of each point's label. The label None has the probability of no cluster.
func OwnProbabilities(r *clustering.Result) []float64 {
	if r.Probability == nil {
		return OwnIn(r.Probabilities, r.Labels)
	}
	return data.Float64s(r.Probability)
}

// OwnIn returns the probability of each point's label from rows of probabilities [N][K+1].
func OwnIn(rows [][]float64, labels []int32) []float64 {
	own := make([]float64, len(rows))
	for i, row := range rows {
		own[i] = row[clustering.ColumnOf(labels[i], len(row)-1)]
	}
	return own
}

// Noun returns the word for a point of the input.
func Noun(in *files.Input) string {
	if in.IsImages() {
		return "image"
	}
	return "point"
}

// WhereIs identifies point i of the input: an image by its name, a point by its line and its first coordinates.
func WhereIs(in *files.Input, i int) string {
	if in.IsImages() {
		return in.Names[i]
	}
	return LineOf(in, i) + " (" + text.List(Each(in.Cells(i), shortCell), shownCoords) + ")"
}

// shortCell gives a number four digits, a large one twelve, and a text twenty letters.
func shortCell(cell string) string {
	if v, err := strconv.ParseFloat(cell, 64); err == nil && math.Abs(v) < 1e4 {
		return fmt.Sprintf("%.4g", v)
	} else if err == nil {
		return fmt.Sprintf("%.12g", v)
	}
	return text.Shorten(cell, 20)
}

// LineOf names point i by its line, or by its index in a file without lines.
func LineOf(in *files.Input, i int) string {
	if in.Lines != nil {
		return fmt.Sprintf("line %d", in.Lines[i])
	}
	return fmt.Sprintf("point %d", i)
}

// Each returns made(v) for each value v of a list.
func Each[T, U any](list []T, made func(T) U) (all []U) {
	for _, v := range list {
		all = append(all, made(v))
	}
	return all
}
