package files

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// cells are the cells of one column. They are decided when the whole column is there.
type cells struct {
	name    string         // in the header
	texts   []string       // [M]; "" for a missing cell; nil for a Parquet table's fractions, times, lists
	numbers []float64      // [M]; NaN for a missing cell and for text
	odd     *usererr.Error // the fault of the first cell that is not a number
	oddRow  int
	isText  bool // most cells that are not missing are texts, and no number is refused
	refused bool // a cell is a number that is infinite, or unlike the others
	words   int  // number of cells that are not missing and not numbers
	// Some numbers have no percent sign (plain), have one (percent), and have thousands separators (grouped).
	plain, percent, grouped bool
	long                    bool // a whole number has more digits than a float64 holds
	doubt                   doubtful
	category                bool // the user wants levels
	plainText               bool // the cells are labels or names
	// known is the kind that the column has in another file, which needs it: Options.Encoding and Like; else empty.
	known   tabular.Kind
	seconds bool      // the numbers are times
	missing []string  // see Options
	codes   []float64 // the numbers among missing
	blanks  bool      // blanks do not separate the cells, so they may part thousands
	frame   bool      // see Options
	vectors []float64 // of a column of vectors, row after row
	lengths []int     // [M] of the vectors
}

// missingTexts, in lower case, stand for a missing cell. So do missingNumbers in a column of numbers or times; in a
// column of text they are levels and names, and so are the missingTexts of a data frame.
var (
	missingTexts = []string{
		"", "na", "n/a", "#n/a", "#na", "<na>", "nan", "null", "?",
		"#div/0!", "#value!", "#num!", "#ref!", "#name?", "#null!",
	}
	missingNumbers = []string{"none", "nil", ".", "-"}
)

func isMissing(text string) bool {
	return len(text) <= len("#div/0!") && slices.Contains(missingTexts, strings.ToLower(text))
}

func isFull(cell string) bool { return cell != "" }

// isGap reports whether a cell is missing if its column holds numbers or times.
func isGap(text string) bool {
	return isMissing(text) || len(text) <= len("none") && slices.Contains(missingNumbers, strings.ToLower(text))
}

// parse reads the numbers of the texts, and empties the cells that stand for missing ones.
func (c *cells) parse(mark byte) {
	c.numbers = make([]float64, len(c.texts))
	for i, cell := range c.texts {
		if isMissing(cell) && (!c.frame || cell == "" || cell == "NaN") || slices.Contains(c.missing, cell) {
			cell, c.texts[i] = "", ""
		}
		if c.plainText {
			continue
		}
		v, err := math.NaN(), error(nil)
		if !isGap(cell) {
			v, err = c.number(cell, mark)
		}
		if err != nil {
			v = math.NaN()
			c.refused = c.refused || errors.Is(err, errMixed) || errors.Is(err, errInfinite)
		}
		if err != nil && c.odd == nil {
			c.odd, c.oddRow = c.fault(cell, mark, err), i
		}
		c.numbers[i] = v
	}
	c.count()
}

// number reads a cell, and finds how the column's numbers are written.
func (c *cells) number(cell string, mark byte) (float64, error) {
	if c.blanks && strings.IndexByte(cell, ' ') > 0 && blankThousands.MatchString(cell) {
		cell = strings.ReplaceAll(cell, " ", "'")
	}
	v, f, err := parseNumber(cell, mark)
	if err != nil {
		return v, err
	}
	c.percent = c.percent || f == percent
	c.plain = c.plain || f != percent
	c.grouped = c.grouped || f == grouped
	switch {
	case math.IsInf(v, 0):
		return v, errInfinite
	case c.percent && c.plain:
		return v, errMixed
	}
	return v, nil
}

var (
	errMixed    = errors.New("percent among plain numbers")
	errInfinite = errors.New("no finite number")
)

// count takes the codes of missing cells for them, and finds whether the cells are texts, and whether one is long.
func (c *cells) count() {
	numbers := 0
	for i, v := range c.numbers {
		cell := ""
		if c.texts != nil {
			cell = c.texts[i]
		}
		switch {
		case slices.Contains(c.codes, v):
			c.numbers[i] = math.NaN()
			if c.texts != nil {
				c.texts[i] = ""
			}
		case !math.IsNaN(v):
			numbers++
			c.long = c.long || math.Abs(v) > wholeNumbers && isWhole(cell)
		case cell != "":
			c.words++
		}
	}
	c.isText = c.odd != nil && c.odd.Hint != noSpaces && !c.refused && c.words > numbers
}

// numbersAmong returns the numbers among texts.
func numbersAmong(texts []string) (numbers []float64) {
	for _, text := range texts {
		if number, err := parseDecimal(text); err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// remedy returns the hint of a fault. A column that another file needs cannot be left out.
func (c *cells) remedy(hint string) string {
	if rest, is := strings.CutPrefix(hint, mendOrIgnore); is && c.known != "" {
		return mend + rest
	}
	return hint
}

const (
	mendOrIgnore = mend + ", or leave the column out (FileOptions.Ignore)"
	deleteLine   = "delete this line"
	asClustered  = "write it as in the file that was clustered"
)

type form int

const (
	plain   form = iota
	percent      // 12%
	grouped      // 1,373 or 1'373
)

// parseNumber reads a float64 with the decimal mark '.' or ','. It also reads a Fortran exponent (1.5D+00), Unicode's
// minus sign, thousands separators, and a percent sign.
func parseNumber(cell string, mark byte) (v float64, f form, err error) {
	if mark == '.' {
		if v, err = parseDecimal(cell); err == nil || errors.Is(err, strconv.ErrRange) {
			return v, plain, err
		}
	}
	if bare, is := strings.CutSuffix(cell, "%"); is {
		cell, f = strings.TrimSpace(bare), percent
	}
	cell = strings.Replace(cell, "−", "-", 1)
	parting := "."
	if mark == '.' {
		parting = ","
	}
	switch {
	case thousands[mark].MatchString(cell):
		cell = strings.NewReplacer(parting, "", "'", "", "’", "", "\u00a0", "", "\u202f", "").Replace(cell)
		f = max(f, grouped)
	case mark == ',' && strings.Contains(cell, "."):
		return 0, f, strconv.ErrSyntax
	case fortran.MatchString(cell):
		cell = strings.NewReplacer("d", "e", "D", "e").Replace(cell)
	}
	if mark == ',' {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	v, err = parseDecimal(cell)
	return v, f, err
}

// parseDecimal reads a decimal number with a point. Go's forms 0x1p4 and 1_000 are errors: in a table they are names or
// typing errors.
func parseDecimal(text string) (float64, error) {
	if strings.ContainsAny(text, "xX_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// strayRow matches the name of a row that sums up the others.
var strayRow = regexp.MustCompile(`^(?i:(grand |sub)?totals?|sum|mean|average|(gesamt)?summe|gesamt|mittelwert)$`)

// fault says why a cell of this column is not a number, without file and line.
func (c *cells) fault(cell string, mark byte, err error) *usererr.Error {
	switch {
	case errors.Is(err, errMixed):
		return usererr.New("write all numbers of the column with a percent sign, or none of them",
			"%s stands among numbers of the other kind", text.Quote(cell))
	case errors.Is(err, errInfinite):
		return usererr.New(mendOrIgnore, "%s is not a finite number", text.Quote(cell))
	case errors.Is(err, strconv.ErrRange):
		return usererr.New("scale this column down", "%s is too large for a number", text.Quote(cell))
	}
	return usererr.New(c.hint(cell, mark), "%s is not a number", text.Quote(cell))
}

// hint returns what to do about a cell that is not a number, in a column of numbers.
func (c *cells) hint(cell string, mark byte) string {
	words := strings.Fields(cell)
	switch {
	case cell == c.name || strayRow.MatchString(cell):
		return deleteLine
	case isOtherNumber(cell):
		return plainNumbers + ", such as 1234" + string(mark) + "5"
	case !c.blanks && len(words) > 1 && isNumber(words[0]) && isNumber(words[1]):
		return noSpaces
	case word.MatchString(cell):
		return mendOrIgnore + `, or take it for a missing cell (FileOptions.Missing "` + cell + `")`
	}
	return mendOrIgnore
}

const plainNumbers = "write plain numbers, in the whole column"

var (
	// thousands match numbers with thousands separators, by the decimal mark. With the mark ',' a single point is not
	// taken for a separator: 1.373 may be a decimal.
	thousands = map[byte]*regexp.Regexp{
		'.': regexp.MustCompile("^[-+]?[1-9]\\d{0,2}([,'’\u00a0\u202f]\\d{3})+(\\.\\d*)?$"),
		',': regexp.MustCompile("^[-+]?\\d{1,3}((\\.\\d{3})+,\\d+|(['’\u00a0\u202f]\\d{3})+(,\\d*)?)$"),
	}
	blankThousands = regexp.MustCompile(`^[-+−]?\d{1,3}( \d{3})+([.,]\d*)?$`)

	fortran = regexp.MustCompile(`^[-+]?(\d+[.,]?\d*|[.,]\d+)[dD][-+]?\d+$`)
	// commaNumber matches numbers with a decimal comma, pointNumber numbers with a decimal point, and groups
	// numbers with points or commas between thousands.
	commaNumber = regexp.MustCompile(`^[-+−]?(\d+|\d{1,3}([.'’ \x{a0}\x{202f}]\d{3})+),\d+([eEdD][-+]?\d+)?%?$`)
	groups      = regexp.MustCompile(`^[-+−]?[1-9]\d{0,2}([.,]\d{3})+$`)
	pointNumber = regexp.MustCompile(`^[-+−]?\d*\.\d+([eEdD][-+]?\d+)?%?$`)
	// word matches a text that may stand for missing cells.
	word = regexp.MustCompile(`^(?:\p{L}[\p{L}_. /-]{0,23}|[-–—.*_]{1,4}|\\N|#\p{L}+[!?]?|[(<\[]\p{L}+[)>\]]|` +
		`-nan|-?1\.#(?:IND|QNAN)0*)$`)
)

// isWhole reports whether a text consists of digits, with or without a sign before them.
func isWhole(text string) bool {
	return strings.Trim(strings.TrimLeft(text, "+-"), "0123456789") == "" && text != ""
}

// isNumber reports whether text is a number; it may be infinite or out of range.
func isNumber(text string) bool {
	_, err := parseDecimal(text)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// isRowName reports whether a column's name says that it holds the points' names.
func isRowName(name string) bool { return slices.Contains(rowNames, strings.ToLower(name)) }

// codeName matches the name of a column of codes, such as store_id, StoreID, order no or zip.
var codeName = regexp.MustCompile(
	`(?i:[ _.-](id|no|nr|code|key))$|[a-z](Id|ID|Code|Key)$|^(?i:zip|zipcode|postcode|plz)$`)

// namesCodes reports whether a column's name says that its whole numbers are codes, whose order has no meaning.
func namesCodes(name string) bool { return isRowName(name) || codeName.MatchString(name) }
