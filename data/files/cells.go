package files

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// cells are those of one column as they are read: numbers, or texts, of which a few may be missing.
type cells struct {
	numbers []float64 // [M] NaN for a missing one and for text
	// texts [M] are those of a column that holds one that is no number; "" for a missing one.
	texts []string
	// few are all cells as texts as long as these are few: a text behind numbers may make levels of them.
	few  classList
	many bool
	// odd is the first cell that is no number, and its row.
	odd      *usererr.Error
	oddRow   int
	category bool // the user wants levels
	number   bool // the user wants numbers, and text is a fault
	seconds  bool // the numbers are a time's
}

// mostLevels bounds the different texts of a column of levels.
const mostLevels = 64

// missingTexts, in lower case, stand for a cell without a value.
var missingTexts = []string{"", "na", "n/a", "#n/a", "nan", "null", "?"}

func isMissing(text string) bool {
	return len(text) <= 4 && slices.Contains(missingTexts, strings.ToLower(text))
}

// add takes the next cell of a text file. A fault tells neither file nor line.
func (c *cells) add(cell string, mark byte) *usererr.Error {
	if isMissing(cell) {
		c.put(math.NaN(), "")
		return nil
	}
	v, err := parseNumber(cell, mark)
	switch {
	case err != nil && (c.number || c.many && c.texts == nil):
		return numberFault(cell, mark, err)
	case err != nil:
		v = math.NaN()
		if c.odd == nil {
			c.odd, c.oddRow = numberFault(cell, mark, err), len(c.numbers)
		}
	case math.IsInf(v, 0):
		return usererr.New(notNumber, "%s is not a finite number", quote(cell))
	}
	c.put(v, cell)
	return nil
}

// put takes the next cell: its number, NaN if it is none, and its text, "" if it is missing.
func (c *cells) put(v float64, cell string) {
	c.numbers = append(c.numbers, v)
	if !c.many {
		c.few.add(cell)
		if len(c.few.classes) > mostLevels+1 && !c.category { // one of them may be the missing one
			c.many = true
			if c.odd != nil {
				c.texts = spread(c.few.labels, c.few.classes)
			}
			c.few = classList{}
		}
	} else if c.texts != nil {
		c.texts = append(c.texts, strings.Clone(cell)) // it is part of a whole row's text
	}
}

// end settles the texts of a column that has some.
func (c *cells) end() {
	if !c.many && (c.odd != nil || c.category) {
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

const notNumber = mend + ", or choose columns with --columns"

// parseNumber reads a float64 with the decimal mark '.' or ','.
func parseNumber(cell string, mark byte) (float64, error) {
	if mark == ',' {
		if strings.Contains(cell, ".") && !groupedByPoints.MatchString(cell) {
			return 0, strconv.ErrSyntax
		}
		cell = strings.Replace(strings.ReplaceAll(cell, ".", ""), ",", ".", 1)
	}
	return parseDecimal(cell)
}

// parseDecimal reads a decimal number with a point. Go's other ways to write one, 0x1p4 and 1_000, are names or slips
// in a table.
func parseDecimal(text string) (float64, error) {
	if strings.ContainsAny(text, "xX_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// numberFault tells why a cell is no number, without file and line.
func numberFault(cell string, mark byte, err error) *usererr.Error {
	if errors.Is(err, strconv.ErrRange) {
		return usererr.New("scale this column down", "%s is too large for a number", quote(cell))
	}
	return usererr.New(numberHint(cell, mark), "%s is not a number", quote(cell))
}

var (
	// grouped is a number with commas between its thousands, such as 1,373, which elsewhere has three decimals;
	// groupedByPoints one such as 1.373,50.
	grouped         = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+(\.\d+)?$`)
	groupedByPoints = regexp.MustCompile(`^[-+]?\d{1,3}(\.\d{3})+,\d+$`)
	// commaNumber is one with a decimal comma, pointNumber one with a decimal point, unless that is pointGroups.
	commaNumber = regexp.MustCompile(`^[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][-+]?\d+)?$`)
	pointGroups = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(\.\d{3})+$`)
	pointNumber = regexp.MustCompile(`^[-+]?\d*\.\d+([eE][-+]?\d+)?$`)
	// signed is a number beside the sign of a currency or of percent.
	signed = regexp.MustCompile(`^(?:[€$£¥]|EUR|USD)?\s*([-+]?\d[\d.,]*)\s*(?:[€$£¥%]|EUR|USD)?$`)
)

// numberHint returns the remedy for text that is no number: a closer one than usual if the fault is a known one.
func numberHint(text string, mark byte) string {
	if hint := closerHint(text, mark); hint != "" {
		return hint
	}
	return notNumber
}

// closerHint is the remedy for text that is nearly a number, "" if it is not.
func closerHint(text string, mark byte) string {
	switch {
	case grouped.MatchString(text):
		return "write " + strings.ReplaceAll(text, ",", "") + " without commas between thousands; decimals have a point"
	case mark == ',' && isNumber(text):
		return "write it with a comma, as the other decimals of the file, or without points between thousands"
	case isNumber(strings.Replace(text, ",", ".", 1)):
		return "write decimals with a point, not a comma"
	case isNumber(strings.ReplaceAll(text, "_", "")):
		return "write " + strings.ReplaceAll(text, "_", "") + " without underscores"
	}
	if m := signed.FindStringSubmatch(text); m != nil {
		bare := m[1]
		if grouped.MatchString(bare) {
			bare = strings.ReplaceAll(bare, ",", "")
		}
		return "write " + bare + " without a sign of currency or percent, in the whole column"
	}
	if words := strings.Fields(text); len(words) > 1 && isNumber(words[0]) && isNumber(words[1]) {
		return "separate the cells with commas or tabs, not spaces"
	}
	return ""
}

// isNumber reports whether text is a number, finite or not, large or not.
func isNumber(text string) bool {
	_, err := parseDecimal(text)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// decimalMark tells the decimal mark from a file's first lines: a comma if commas do not part the cells, some cell has
// one, and none has a decimal point.
func decimalMark(lines []string, comma rune) byte {
	if comma == ',' {
		return '.'
	}
	mark := byte('.')
	for _, line := range lines {
		for cell := range strings.SplitSeq(line, string(comma)) {
			cell = strings.Trim(cell, "\" ")
			if pointNumber.MatchString(cell) && !pointGroups.MatchString(cell) {
				return '.'
			}
			if commaNumber.MatchString(cell) {
				mark = ','
			}
		}
	}
	return mark
}

// isRowName reports whether a column's name says that it holds the points' names.
func isRowName(name string) bool { return slices.Contains(rowNames, strings.ToLower(name)) }

// codeName matches the name of a column of codes, such as store_id, StoreID, order no or zip_code.
var codeName = regexp.MustCompile(`(?i:[ _.-](id|no|nr|code|key))$|[a-z](Id|ID|Code|Key)$`)

// isCodeName reports whether a column's name says that its whole numbers are codes, whose order means nothing.
func isCodeName(name string) bool { return codeName.MatchString(name) }
