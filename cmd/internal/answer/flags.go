package answer

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/mixture"
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
	if errors.Join(errFrom, errTo) != nil || least < 1 || most < least || most > mixture.MostClusters {
		return 0, 0, usererr.New(fmt.Sprintf("use a number of clusters from 1 to %d, or a range such as 3..6",
			mixture.MostClusters), "--k %q", text)
	}
	return least, most, nil
}

// WithFlags is an error with the flags of gfncp where the library names options.
func WithFlags(err error) error { return usererr.WithOptions(err, flagName) }
