package clustering

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data/tabular"
)

// circle is a pattern for the words of the names of circular columns, with the length of a full turn.
type circle struct {
	words *regexp.Regexp
	turn  float64
}

var circles = []circle{
	{regexp.MustCompile(`longitude|\b(lon|lng)\b|^long$|\b(dir|winddir|wd|deg|degrees|angle|course)\b`), 360},
	{regexp.MustCompile(`direction|bearing|heading|azimuth|aspect`), 360},
	{regexp.MustCompile(`\bhour$|^hour ?of ?(the ?)?day$|^time of (the )?day$|^(hr|hod)$`), 24},
	{regexp.MustCompile(`^(.*[^r] )?month$`), 12},
	{regexp.MustCompile(`\b(day of (the )?year|doy|yday)\b`), 366},
}

var betweenWords = regexp.MustCompile(`([a-z])([A-Z])|[^A-Za-z]+`)

const secondsOfDay = 24 * 60 * 60

// circleOf returns where to cut the circle of a column, and its full turn: 360° of longitude, 24 hours. The cut lies
// where values are fewest, so that neighbours on the circle stay neighbours. first is nil for a column without the name
// of a circle, or without its values: they fill a turn, and are twice as dense at its ends as at the cut.
func circleOf(c tabular.Column) (first *float64, turn float64) {
	const end, denser = 0.1, 2
	words := strings.TrimSpace(strings.ToLower(betweenWords.ReplaceAllString(c.Name, "$1 $2")))
	if c.Kind == tabular.Time {
		turn = secondsOfDay // unless the times have dates
	} else if of := slices.IndexFunc(circles, func(c circle) bool { return c.words.MatchString(words) }); of >= 0 {
		turn = circles[of].turn
	}
	values := slices.DeleteFunc(slices.Clone(c.Values), math.IsNaN)
	if turn == 0 || len(values) == 0 {
		return nil, 0
	}
	low, least, largest := 0.0, slices.Min(values), slices.Max(values)
	if least < 0 {
		low = -turn / 2
	}
	if least < low || least > low+end*turn || largest < low+turn-end*turn || largest > low+turn {
		return nil, 0
	}
	share, there, here := sparsest(values, low, turn)
	if here+1 <= denser*(there+1) {
		return nil, 0
	}
	cut := low + share*turn
	return &cut, turn
}

// sparsest returns the middle of the longest stretch of a circle where values are fewest, as a share of a turn from
// low, and how many are near there and near low. It is 0 if values are as few at low itself.
func sparsest(values []float64, low, turn float64) (share float64, there, here int) {
	const places = 96                  // of a turn
	near := max(2, int(places/2/turn)) // places on each side: 15°, an hour or a month in all
	var counts, around [places]int
	for _, v := range values {
		counts[int((v-low)/turn*places)%places]++
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
