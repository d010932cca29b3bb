package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/usererr"
)

// bound is the range of a number that a user gives.
type bound struct{ least, most int }

// bounds are the ranges of the flags that take a whole number, by their names. More would take years or overflow; what
// a number within them takes of memory is estimated where the work is done.
var bounds = map[string]bound{
	"batch": {1, 4096}, "chains": {1, 1000}, "clusters": {0, 100_000}, "draws": {1, 1_000_000}, "job": {0, 1_000_000},
	"limit": {0, 100_000_000}, "orders": {0, 1_000_000}, "points": {2, 1_000_000},
	"port": {0, 65535}, "repeats": {1, 1_000_000}, "samples": {0, 1_000_000}, "sdpp": {0, 1_000_000}, "seeds": {1, 100},
	"sets": {1, 1_000_000},
}

// checkBounds refuses numbers out of their ranges.
func checkBounds(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		within, known := bounds[name]
		if !known || !c.IsSet(name) {
			continue
		}
		values := c.IntSlice(name)
		if _, one := f.(*cli.IntFlag); one {
			values = []int{c.Int(name)}
		}
		for _, v := range values {
			if v < within.least || v > within.most {
				return usererr.New(fmt.Sprintf("choose a number from %d to %d", within.least, within.most),
					"--%s %d is out of range", name, v)
			}
		}
	}
	return nil
}
