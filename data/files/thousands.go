package files

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// doubtful are the cells of a column in which the decimal mark may part thousands, such as 2.510.
type doubtful struct {
	rows     []int
	zeros    bool // one ends in 0
	decimals bool // another cell leaves no doubt that the mark is decimal
}

var thousand = regexp.MustCompile(`^[-+−]?[1-9]\d{0,2}[.,]\d{3}$`)

// doubtfulCells finds the doubtful cells of a column of numbers.
func (c *cells) doubtfulCells(mark byte) (d doubtful) {
	for row, cell := range c.texts {
		switch {
		case strings.IndexByte(cell, mark) < 0 || math.IsNaN(c.numbers[row]):
		case !thousand.MatchString(cell):
			return doubtful{decimals: true}
		default:
			d.rows = append(d.rows, row)
			d.zeros = d.zeros || strings.HasSuffix(cell, "0")
		}
	}
	return d
}

// partsThousands reports whether the mark parts thousands in this column. The cells without the mark must be different
// whole numbers below 1000, and one of two signs must speak against decimals: a cell with the mark ends in 0, or most
// cells without it are larger than all with it.
func (c *cells) partsThousands() bool {
	if len(c.doubt.rows) == 0 {
		return false
	}
	whole, largest := slices.Clone(c.numbers), 0.0
	for _, row := range c.doubt.rows {
		largest, whole[row] = max(largest, math.Abs(whole[row])), 0
	}
	whole = filter(whole, func(v float64) bool { return math.Abs(v) > 0 }) // nor NaN
	larger := filter(whole, func(v float64) bool { return math.Abs(v) > largest+1 })
	return numberOf(whole) > 1 && (len(c.doubt.rows) > 1 && c.doubt.zeros || 2*len(larger) > len(whole)) &&
		!slices.ContainsFunc(whole, func(v float64) bool { return isBroken(v) || math.Abs(v) >= 1000 })
}

// mayPartThousands reports whether the column itself leaves open what the mark is: some cells lack it, and most
// fractions differ. The fractions of thirds, such as 1.333, are equal.
func (c *cells) mayPartThousands() bool {
	digits := mapped(c.doubt.rows, func(row int) float64 { return math.Round(math.Mod(c.numbers[row], 1) * 1000) })
	return 2*numberOf(digits) > len(digits) && len(present(c.numbers)) > len(digits)
}

// joinThousands takes the decimal mark for one between thousands if it may be one in all columns, and is one in some.
// Otherwise it warns of columns where it may be one.
func (l *layout) joinThousands(mark byte) (joined bool) {
	for _, at := range l.coords {
		l.cells[at].doubt = l.cells[at].doubtfulCells(mark)
	}
	decimals := slices.ContainsFunc(l.coords, func(at int) bool { return l.cells[at].doubt.decimals })
	parted := filter(l.coords, func(at int) bool { return l.cells[at].partsThousands() })
	joined = len(parted) > 0 && !decimals
	for _, at := range l.coords {
		c := l.cells[at]
		if !joined && (slices.Contains(parted, at) || !decimals && c.mayPartThousands()) {
			v := c.numbers[c.doubt.rows[0]]
			l.warn("column %s: %.3f is read as a decimal; write %.0f if a sign parts its thousands",
				l.columnName(at), v, v*1000)
		}
		for _, row := range c.doubt.rows {
			if joined {
				c.numbers[row] = math.Round(c.numbers[row] * 1000)
				c.grouped = true
			}
		}
	}
	return joined
}
