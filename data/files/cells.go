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

// cells are the cells of one column while it is read: numbers or texts, some of which may be missing.
type cells struct {
	name    string    // in the header
	numbers []float64 // [M]; NaN for a missing cell and for text
	// texts [M] are the cells of a column with text; "" for a missing one.
	texts []string
	// few holds all cells as texts until many is set, because too many of them differ to be levels.
	few  classList
	many bool
	// odd is the fault of the first cell that is not a number.
	odd      *usererr.Error
	oddRow   int
	category bool // the user wants levels
	number   bool // the user wants numbers, and text is a fault
	// plainText says that the cells are labels or names: only texts is filled.
	plainText bool
	// known is the kind that the column has in another file, which needs it: Options.Encoding and Like; else empty.
	known   tabular.Kind
	seconds bool      // the numbers are times
	long    bool      // a whole number has more digits than a float64 holds
	missing []string  // see Options
	codes   []float64 // the numbers among missing
	blanks  bool      // blanks do not separate the cells, so they may part thousands
	frame   bool      // see Options
	held    int       // number of bytes of the texts
	// Some numbers have no percent sign (plain), have one (percent), and have thousands separators (grouped).
	plain, percent, grouped bool
	doubt                   doubtful
	vectors                 []float64 // [M,d] for a column of vectors; numbers and texts are empty then
	d                       int
}

// mostLevels is the largest number of levels of a column, unless the user wants levels.
const mostLevels = 64

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

// isGap reports whether a cell is missing if its column holds numbers or times.
func isGap(text string) bool {
	return isMissing(text) || len(text) <= len("none") && slices.Contains(missingNumbers, strings.ToLower(text))
}

// add takes the next cell of a text file. The fault that it returns lacks the file and the line.
func (c *cells) add(cell string, mark byte) *usererr.Error {
	missing := isMissing(cell) && (!c.frame || cell == "" || cell == "NaN") || slices.Contains(c.missing, cell)
	switch {
	case missing && c.plainText:
		c.texts = append(c.texts, "")
		return nil
	case c.plainText:
		c.addText(cell)
		return nil
	case missing:
		c.put(math.NaN(), "")
		return nil
	}
	if isGap(cell) {
		c.put(math.NaN(), cell)
		return nil
	}
	number := cell
	if c.blanks && strings.IndexByte(cell, ' ') > 0 && blankThousands.MatchString(cell) {
		number = strings.ReplaceAll(cell, " ", "'")
	}
	v, form, err := parseNumber(number, mark)
	if err == nil {
		err = c.count(form)
	}
	switch {
	case err != nil && (c.number || c.many && c.texts == nil):
		return c.fault(cell, mark, err)
	case err != nil:
		v = math.NaN()
		if c.odd == nil {
			c.odd, c.oddRow = c.fault(cell, mark, err), len(c.numbers)
		}
	case math.IsInf(v, 0):
		return usererr.New(mendOrIgnore, "%s is not a finite number", text.Quote(cell))
	}
	if err == nil {
		c.doubt.see(cell, mark, len(c.numbers))
	}
	c.put(v, cell)
	return nil
}

var errMixed = errors.New("percent among plain numbers")

func (c *cells) count(f form) error {
	c.percent = c.percent || f == percent
	c.plain = c.plain || f != percent
	c.grouped = c.grouped || f == grouped
	if c.percent && c.plain {
		return errMixed
	}
	return nil
}

// put takes the next cell: its number, or NaN for text, and its text, "" if it is missing.
func (c *cells) put(v float64, cell string) {
	if slices.Contains(c.codes, v) {
		v, cell = math.NaN(), ""
	}
	if math.Abs(v) > wholeNumbers && isWhole(cell) && !c.long {
		c.long = true
		if c.many && c.texts == nil {
			c.texts = c.all()
		}
	}
	c.numbers = append(c.numbers, v)
	if !c.many {
		c.few.add(cell)
		if len(c.few.classes) > mostLevels+1 && !c.category { // one text may stand for missing cells
			c.many = true
			if c.odd != nil || c.long {
				c.texts = spread(c.few.labels, c.few.classes)
			}
			c.few = classList{}
		}
	} else if c.texts != nil {
		c.addText(cell)
	}
}

func (c *cells) addText(cell string) {
	c.texts = append(c.texts, strings.Clone(cell)) // it is part of a whole row's text
	c.held += len(cell) + 2*16
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

// end sets the texts of a column with text.
func (c *cells) end() {
	if len(c.few.labels) > 0 && (c.odd != nil || c.category || c.long) {
		c.texts = spread(c.few.labels, c.few.classes)
	}
	c.few = classList{}
}

// mostlyText reports whether fewer than half of the cells that are not missing are numbers.
func (c *cells) mostlyText() bool {
	numbers, texts := 0, 0
	for i, v := range c.numbers {
		if !math.IsNaN(v) {
			numbers++
		} else if c.texts[i] != "" {
			texts++
		}
	}
	return texts > numbers
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
