package files

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// timeLayouts are the layouts, as in package time, of times that are read. Seconds may have fractions. A time without a
// zone is UTC.
var timeLayouts = []string{
	"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 UTC",
	"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700", "2006-01", "20060102T150405Z",
	"2006/1/2", "2006/1/2 15:04", "2006/1/2 15:04:05", "2006/1/2 3:04:05 PM", "2006/1/2 3:04:05 PM MST",
	"2006. 1. 2.", "2Jan2006", "2Jan2006:15:04:05", "2. January 2006",
	"Monday, January 2, 2006", "Monday, 2 January 2006",
	"2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05", "2.1.06", "2.1.06 15:04",
	"1/2/2006", "1/2/2006 15:04", "1/2/2006 15:04:05", "1/2/2006 3:04 PM", "1/2/2006 3:04:05 PM",
	"2/1/2006", "2/1/2006 15:04", "2/1/2006 15:04:05", "2/1/2006 3:04 PM", "2/1/2006 3:04:05 PM",
	"1/2/06", "1/2/06 15:04", "2/1/06", "2/1/06 15:04", "1-2-2006", "1-2-2006 15:04", "2-1-2006", "2-1-2006 15:04",
	"2 Jan 2006", "2-Jan-2006", "2-Jan-06", "Jan 2, 2006", "Jan 2 2006", "2 January 2006", "January 2, 2006",
	"January 2 2006", "Jan 2006", "Jan-2006", "January 2006", time.RFC1123, time.RFC1123Z, time.ANSIC, time.UnixDate,
	"15:04", "15:04:05", "3:04 PM", "3:04:05 PM",
}

// parseTime is time.Parse for letters of any case.
func parseTime(layout, text string) (time.Time, error) {
	return time.Parse(layout, strings.ToUpper(text))
}

// areDays reports whether numbers are at least leastCounted days of the years 1900 to 2099, such as 20240131.
func areDays(numbers []float64) bool {
	days := present(numbers)
	return len(days) >= leastCounted && !slices.ContainsFunc(days, func(v float64) bool {
		_, err := time.Parse("20060102", strconv.FormatFloat(v, 'f', -1, 64))
		return err != nil || v < 1900_00_00 || v > 2100_00_00
	})
}

// layoutsOf returns the layouts that fit every text that is not a gap.
func layoutsOf(texts []string) []string {
	left := slices.Clone(timeLayouts)
	for _, text := range texts {
		if !isGap(text) {
			left = slices.DeleteFunc(left, func(layout string) bool {
				_, err := parseTime(layout, text)
				return err != nil
			})
		}
		if len(left) == 0 {
			break
		}
	}
	return left
}

// timesOf reads texts that are all times of one layout, as seconds since 1970 began, or since midnight for times of
// day; NaN for a gap. It returns nil if they are not times. If several layouts fit all texts and read one differently,
// it returns a fault and that row, as for years of two digits that leave the century open.
func timesOf(texts []string) (seconds []float64, row int, fault *usererr.Error) {
	layouts := layoutsOf(texts)
	if len(layouts) == 0 {
		return nil, 0, nil
	}
	seconds = make([]float64, len(texts))
	for i, cell := range texts {
		seconds[i] = math.NaN()
		for k, layout := range layouts {
			at, err := parseTime(layout, cell)
			switch value := secondsOf(at); {
			case err != nil: // only for a missing cell
			case k == 0:
				seconds[i] = value
			case value != seconds[i]:
				const day = "2006-01-02"
				first, _ := parseTime(layouts[0], cell)
				return nil, i, usererr.New("write days as "+at.Format(day), "%s may be %s or %s",
					text.Quote(cell), first.Format("2 January"), at.Format("2 January"))
			}
		}
	}
	row, fault = centuryFault(layouts[0], texts)
	return seconds, row, fault
}

// centuryFault returns a fault, and its row, if two digits of years leave the century open: 68 is read as 2068, and 69
// as 1969, so a column that reaches 2050, or has more than 68 years, may be torn apart.
func centuryFault(layout string, texts []string) (row int, fault *usererr.Error) {
	if !strings.Contains(strings.ReplaceAll(layout, "2006", ""), "06") {
		return 0, nil
	}
	first, last := math.MaxInt, 0
	for i, cell := range texts {
		at, err := parseTime(layout, cell)
		if err != nil {
			continue // a missing cell
		}
		if first = min(first, at.Year()); at.Year() > last {
			last, row = at.Year(), i
		}
	}
	if last < 2050 && last-first <= 68 {
		return 0, nil
	}
	return row, usererr.New("write all years with four digits",
		"%s is read as the year %d", text.Quote(texts[row]), last)
}

// secondsOf returns a time in seconds since 1970 began, or since midnight if it has no date.
func secondsOf(t time.Time) float64 {
	if t.Year() == 0 {
		return t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Seconds()
	}
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9
}
