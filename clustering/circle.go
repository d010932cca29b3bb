package clustering

import (
	"math"
	"regexp"
	"slices"

	"github.com/gfncp/gfncp/data/tabular"
)

// circles lists patterns for the names of circular columns, with the length of a full turn.
var circles = []struct {
	name *regexp.Regexp
	turn float64
}{
	{regexp.MustCompile(`(?i)longitude|^(lon|lng|long)$`), 360},
	{regexp.MustCompile(`(?i)direction|bearing|heading|azimuth|aspect`), 360},
	{regexp.MustCompile(`(?i)^hour$|[^a-z]hour$|^hour.?of.?(the.?)?day$|^(hr|hod)$`), 24},
}

const secondsOfDay = 24 * 60 * 60

// circleOf returns where to cut the circle of a column, and its full turn: 360° of longitude, 24 hours. The cut lies
// where values are fewest, so that neighbours on the circle stay neighbours. first is nil for a column that is not
// circular, has values beyond a turn, or needs no cut.
func circleOf(c tabular.Column) (first *float64, turn float64) {
	if c.Kind == tabular.Time {
		turn = secondsOfDay // unless the times have dates
	}
	for _, of := range circles {
		if c.Kind == tabular.Number && of.name.MatchString(c.Name) {
			turn = of.turn
		}
	}
	low := 0.0
	if slices.ContainsFunc(c.Values, func(v float64) bool { return v < 0 }) {
		low = -turn / 2
	}
	beyond := func(v float64) bool { return v < low || v > low+turn }
	if turn == 0 || slices.ContainsFunc(c.Values, beyond) {
		return nil, 0
	}
	cut := low + sparsest(c.Values, low, turn)*turn
	before := func(v float64) bool { return v < cut }
	after := func(v float64) bool { return v >= cut }
	if !slices.ContainsFunc(c.Values, before) || !slices.ContainsFunc(c.Values, after) {
		return nil, 0
	}
	return &cut, turn
}

// sparsest returns the middle of the longest stretch of a circle where values are fewest, as a share of a turn from
// low. It is 0 if values are as few at low itself.
func sparsest(values []float64, low, turn float64) float64 {
	const places, near = 96, 2 // of a turn; places on each side that are near: 15° or an hour in all
	var counts, around [places]int
	for _, v := range values {
		if !math.IsNaN(v) {
			counts[int((v-low)/turn*places)%places]++
		}
	}
	for at := range places {
		for k := -near; k < near; k++ {
			around[at] += counts[(at+k+places)%places]
		}
	}
	least := slices.Min(around[:])
	if around[0] == least {
		return 0
	}
	longest, middle, length := 0, 0, 0
	for at, count := range around {
		if length++; count > least {
			length = 0
		}
		if length > longest {
			longest, middle = length, at-length/2
		}
	}
	return float64(middle) / places
}
