package files

import (
	"maps"
	"math"
	"regexp"
	"slices"
)

// Numbers and days in these notations are not read. A number that begins with 0 may be a name, such as 0170/19.
const (
	amount   = `[-+−]?(?:0|[1-9]\d{0,2}(?:[.,'’_\x{a0}\x{202f}]\d{2,3})+|[1-9]\d*)(?:[.,]\d+)?`
	fraction = `\d+[.,]\d+`
	about    = `(?:[~≈<>≤≥=±] ?|[Cc]a\. ?|c\. ?|ca |[Cc]irca |[Aa]pprox\.? |[Aa]bout )`
	currency = `(?:[A-Z]{0,2}\p{Sc}|Rs\.?|EUR|USD|GBP|CHF|INR)`
)

var (
	otherNumber = regexp.MustCompile(`^(?:` +
		about + `+` + amount + ` ?%?|[-−] ` + amount + `|` + // ~400000
		amount + `(?:[-−+†‡]|\*+)?|` + // 21.3*
		`[-+−]?` + currency + ` ?` + amount + `(?:[.,][-–—]+)?|` + // € 12.50
		amount + `(?:[.,][-–—]+)? ?` + currency + `|` +
		`\(\d[\d.,]*\)|(?:'|=")` + amount + `['"]?|[-+]?0[xX][\da-fA-F]+|` + // (21.3), '21.3', 0x1F
		amount + ` ?[×xX·*] ?10\^?[-−⁻]?[\d⁰¹²³⁴-⁹]+|` + // 21.3×10^3
		amount + ` ?\([-+−]?[\d.,]+%?\)|` + // 21.3 (0.87)
		`[1-9]\d* ?/ ?[1-9]\d*|` + // 213/169
		fraction + ` ?(?:[-–—]|\.\.) ?` + fraction + `|` + // 21.3-23.3
		`[-+−]?` + fraction + ` ?°? ?\p{L}{1,3}\.?|[1-9]\d* ?[kKmMbB]n?|` + // 21.3k
		`\d+['′’] ?\d+(?:[.,]\d+)?["″”]\d*|` + // 5'11"
		`P(?:[\d.]+[YMWD])+(?:T(?:[\d.]+[HMS])+)?|PT(?:[\d.]+[HMS])+|` + // PT11H39M19S
		`[-+−]?[٠-٩۰-۹０-９]+(?:[.,٫．][٠-٩۰-۹０-９]+)?)$`)
	address = regexp.MustCompile(`^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$`) // of a computer: 192.168.67.230

	otherDay = regexp.MustCompile(`^(?:\p{L}+\.?,? )?(?:0?[1-9]|[12]\d|3[01])\.?[ -]?` + // 5. März 2021
		`(?:de )?\p{L}{3,}\.?(?: de)?[ -]?(?:1[5-9]|20)\d\d(?:[ :T].*)?$|` +
		`^(?:0?[1-9]|[12]\d|3[01])[ -]?\p{L}{3}[ -]?\d\d$|` + // 01JAN80
		`^\p{L}{3,}\.? (?:0?[1-9]|[12]\d|3[01]),? (?:1[5-9]|20)\d\d(?:,? \d?\d:.*)?$|` + // Jan. 5, 2021
		`^(?:\d{4}[-/.]\d?\d[-/.]\d?\d|\d?\d[-/.]\d?\d[-/.]\d{4})(?:[ ,T]+\d?\d:.*)?$|` + // 2021.01.05
		`^(?:1[5-9]|20)\d\d[ -]?[WQ]\d\d?(?:-\d)?$`) // 2021-W05

	// quantity matches a number with a unit, such as 28.9 kg, 28.9±0.1, 28h 55m or 28:55.3.
	quantity = regexp.MustCompile(`^[~≈<>]?[-+−]?\d+(?:[.,]\d+)*( ?[\p{L}%°µ:±].*)$`)
	digits   = regexp.MustCompile(`\d+`)
)

// isOtherNumber reports whether a cell is a number in a notation that is not read.
func isOtherNumber(cell string) bool {
	return otherNumber.MatchString(cell) && !address.MatchString(cell)
}

// mostCells is the least share of a column's cells that have a notation, if the column has it.
const mostCells = 0.9

// hasNotation reports whether nearly all cells are numbers, or nearly all are days, in notations that may not be read.
func (c *cells) hasNotation() bool {
	number := func(i int) bool { return !math.IsNaN(c.numbers[i]) || isOtherNumber(c.texts[i]) }
	day := func(i int) bool { return len(layoutsOf(c.texts[i:i+1])) > 0 || otherDay.MatchString(c.texts[i]) }
	return c.hasUnit() || c.nearlyAll(number) || c.nearlyAll(day)
}

// hasUnit reports whether nearly all cells are numbers with one unit, in which all numbers count as alike.
func (c *cells) hasUnit() bool {
	counts := map[string]int{}
	for _, cell := range c.texts {
		if m := quantity.FindStringSubmatch(cell); m != nil {
			counts[digits.ReplaceAllString(m[1], "0")]++
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(counts)), c.isMost)
}

// isMost reports whether this number of cells is nearly all.
func (c *cells) isMost(n int) bool { return float64(n) >= mostCells*float64(len(c.texts)) }

// nearlyAll reports whether nearly all cells fit or are missing, and one that fits is not a number.
func (c *cells) nearlyAll(fits func(i int) bool) bool {
	n, words := 0, 0
	for i, cell := range c.texts {
		switch {
		case isGap(cell):
			n++
		case fits(i):
			n++
			if math.IsNaN(c.numbers[i]) {
				words++
			}
		}
	}
	return words > 0 && c.isMost(n)
}
