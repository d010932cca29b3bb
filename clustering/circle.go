package clustering

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data/tabular"
)

// circles lists patterns for the words of the names of circular columns, with the length of a full turn. A name that is
// not sure counts only if the values show the circle, too.
var circles = []struct {
	words *regexp.Regexp
	turn  float64
	sure  bool
}{
	{regexp.MustCompile(`longitude|^(lon|lng|long)$|direction|bearing|heading|azimuth|aspect`), 360, true},
	{regexp.MustCompile(`\bhour$|^hour ?of ?(the ?)?day$|^time of (the )?day$|^(hr|hod)$`), 24, true},
	{regexp.MustCompile(`\b(lon|lng|dir|winddir|wd|deg|degrees|angle|course)\b`), 360, false},
	{regexp.MustCompile(`^(.*[^r] )?month$`), 12, false},
	{regexp.MustCompile(`\b(day of (the )?year|doy|yday)\b`), 366, false},
}

var betweenWords = regexp.MustCompile(`([a-z])([A-Z])|[^A-Za-z]+`)

const secondsOfDay = 24 * 60 * 60

// circleOf returns where to cut the circle of a column, and its full turn: 360° of longitude, 24 hours. The cut lies
// where values are fewest, so that neighbours on the circle stay neighbours. first is nil for a column that is not
// circular, has values beyond a turn, or needs no cut. If its name is not sure, the values must fill the turn, and be
// twice as dense at its ends as at the cut.
func circleOf(c tabular.Column) (first *float64, turn float64) {
	const end, denser = 0.1, 2
	words := strings.TrimSpace(strings.ToLower(betweenWords.ReplaceAllString(c.Name, "$1 $2")))
	sure, least, largest := c.Kind == tabular.Time, math.Inf(1), math.Inf(-1)
	if sure {
		turn = secondsOfDay // unless the times have dates
	}
	for _, of := range circles {
		if c.Kind == tabular.Number && turn == 0 && of.words.MatchString(words) {
			turn, sure = of.turn, of.sure
		}
	}
	for _, v := range c.Values {
		if !math.IsNaN(v) {
			least, largest = min(least, v), max(largest, v)
		}
	}
	low := 0.0
	if least < 0 {
		low = -turn / 2
	}
	if turn == 0 || least < low || largest > low+turn {
		return nil, 0
	}
	share, there, here := sparsest(c.Values, low, turn)
	cut := low + share*turn
	shown := least <= low+end*turn && largest >= low+turn-end*turn && here+1 > denser*(there+1)
	if least >= cut || largest < cut || !sure && !shown {
		return nil, 0
	}
	return &cut, turn
}

// sparsest returns the middle of the longest stretch of a circle where values are fewest, as a share of a turn from
// low, and how many are near there and near low. It is 0 if values are as few at low itself.
func sparsest(values []float64, low, turn float64) (share float64, there, here int) {
	const places = 96                  // of a turn
	near := max(2, int(places/2/turn)) // places on each side: 15°, an hour or a month in all
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
		return 0, least, least
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
	return float64(middle) / places, least, around[0]
}
