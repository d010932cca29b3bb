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

// turnOf returns after which length a column is where it began: 360° of longitude, 24 hours. It is 0 for other columns,
// and if values lie beyond a turn.
func turnOf(c tabular.Column) float64 {
	turn := 0.0
	if c.Kind == tabular.Time {
		turn = secondsOfDay // unless the times have dates
	}
	for _, of := range circles {
		if c.Kind == tabular.Number && of.name.MatchString(c.Name) {
			turn = of.turn
		}
	}
	low := lowest(c.Values, turn)
	if slices.ContainsFunc(c.Values, func(v float64) bool { return v < low || v > low+turn }) {
		return 0
	}
	return turn
}

// lowest returns where the values on a circle begin as they are written: at 0, or half a turn before it.
func lowest(values []float64, turn float64) float64 {
	if slices.ContainsFunc(values, func(v float64) bool { return v < 0 }) {
		return -turn / 2
	}
	return 0
}

// firstOnCircle returns where the values of a column are to begin so that neighbours on a circle are neighbours: in the
// middle of the longest stretch with the fewest values near. It returns nil for a column that goes around no circle, or
// that is written so already.
func firstOnCircle(c tabular.Column) *float64 {
	const places, near = 96, 2 // of a turn; places on each side that are near: 15° or an hour in all
	turn := turnOf(c)
	if turn == 0 {
		return nil
	}
	low := lowest(c.Values, turn)
	var counts, around [places]int
	for _, v := range c.Values {
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
		return nil
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
	first := low + float64(middle)*turn/places
	before := func(v float64) bool { return v < first }
	after := func(v float64) bool { return v >= first }
	if !slices.ContainsFunc(c.Values, before) || !slices.ContainsFunc(c.Values, after) {
		return nil
	}
	return &first
}
