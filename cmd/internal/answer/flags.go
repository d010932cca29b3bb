package answer

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// flagsOfOptions are the flags that are not called as the option that they set (root.Options). All others are:
// --co-clustering sets CoClustering.
var flagsOfOptions = map[string]string{
	"Least": "k", "Most": "k", "KeepUnits": "no-standardize",
}

// flagName is the flag that sets an option of the library.
func flagName(option string) string {
	return "--" + cmp.Or(flagsOfOptions[option], usererr.Words(option, "-"))
}

// ParseNumber reads --k: a number of clusters, or a range such as 3..6.
func ParseNumber(text string) (least, most int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		to = from
	}
	least, errFrom := strconv.Atoi(from)
	most, errTo := strconv.Atoi(to)
	if errors.Join(errFrom, errTo) != nil || least < 1 || most < least {
		return 0, 0, usererr.New("use a number of clusters such as 4, or a range such as 3..6", "--k %q", text)
	}
	return least, most, nil
}

// WithFlags is an error with the flags of gfncp where the library names options.
func WithFlags(err error) error { return usererr.WithOptions(err, flagName) }
