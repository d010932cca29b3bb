package files

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"github.com/gfncp/gfncp/internal/text"
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

// notation says which numbers or days a column of text holds, if nearly all cells are in notations that are not read,
// and what to write. For names and other texts it returns "".
func (c *cells) notation() (found, hint string) {
	if unit := c.unit(); unit != "" {
		return "numbers with " + text.Quote(unit), plainNumbers
	}
	number := func(i int) bool { return !math.IsNaN(c.numbers[i]) || isOtherNumber(c.texts[i]) }
	day := func(i int) bool { return len(layoutsOf(c.texts[i:i+1])) > 0 || otherDay.MatchString(c.texts[i]) }
	if cell, _ := c.nearlyAll(number); cell != "" {
		return "numbers such as " + text.Quote(cell), plainNumbers
	}
	cell, other := c.nearlyAll(day)
	if cell == "" {
		return "", ""
	}
	differs := func(text string) bool { return len(layoutsOf([]string{cell, text})) == 0 }
	if i := slices.IndexFunc(c.texts, differs); i >= 0 && !differs(cell) {
		other = cmp.Or(other, c.texts[i])
	}
	if found = "days such as " + text.Quote(cell); other != "" {
		found = text.Quote(other) + " among " + found
	}
	return found, "write days as 2024-01-31, in the whole column"
}

// unit returns the text behind the numbers of a column of text, with 0 for all further numbers, if nearly all cells are
// numbers with one unit. Otherwise it returns "".
func (c *cells) unit() string {
	counts := map[string]int{}
	for _, cell := range c.texts {
		if m := quantity.FindStringSubmatch(cell); m != nil {
			unit := digits.ReplaceAllString(m[1], "0")
			if counts[unit]++; float64(counts[unit]) >= mostCells*float64(len(c.texts)) {
				return unit
			}
		}
	}
	return ""
}

// nearlyAll returns the first cell that fits and is not a number, if nearly all cells fit or are missing, and the first
// that does not fit.
func (c *cells) nearlyAll(fits func(i int) bool) (first, other string) {
	others := 0
	for i, cell := range c.texts {
		switch {
		case isGap(cell):
		case !fits(i):
			if others++; float64(others) > (1-mostCells)*float64(len(c.texts)) {
				return "", ""
			}
			other = cmp.Or(other, cell)
		case first == "" && math.IsNaN(c.numbers[i]):
			first = cell
		}
	}
	return first, other
}
