package clustering

import (
	"math"
	"regexp"
	"slices"

	"github.com/gfncp/gfncp/data/tabular"
)

// circles are the columns that go around, by their names, and the length of a turn.
var circles = []struct {
	name *regexp.Regexp
	turn float64
}{
	{regexp.MustCompile(`(?i)longitude|^(lon|lng|long)$`), 360},
	{regexp.MustCompile(`(?i)direction|bearing|heading|azimuth|aspect`), 360},
	{regexp.MustCompile(`(?i)^hour$|[^a-z]hour$|^hour.?of.?(the.?)?day$|^(hr|hod)$`), 24},
}

const secondsOfDay = 24 * 60 * 60

// circleOf returns where the values of a column are to begin so that neighbours on its circle are neighbours, and after
// which length it is where it began: 360° of longitude, 24 hours. first is nil for a column that goes around no circle,
// has values beyond a turn, or is written so already.
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

// sparsest returns the middle of the longest stretch of a circle with the fewest values near, as a share of a turn from
// low. It is 0 if no place has fewer values near than low.
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
