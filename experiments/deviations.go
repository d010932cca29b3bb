package experiments

import (
	"slices"
	"strings"

	"github.com/gfncp/gfncp/train"
)

// notListed are keys that are no deviation from the paper, or that have a column in tables.
var notListed = []string{
	"seed", "train.steps", "train.shards", "train.valid_every", "train.valid_sets", "train.checkpoint_every",
	"train.keep_every",
}

// deviations lists the keys, with their values, in which a training's config differs from the paper's on a data set
// with fixedK clusters (0: free).
func (d dataset) deviations(c train.Config, fixedK int) string {
	paper := paperSize(d.config(c.Model), d, method{})
	paper.Data.FixedK, paper.Data.AlphaMin, paper.Data.AlphaMax = fixedK, d.Alpha, d.Alpha
	paper.Loss.Gauge, paper.Train.ClipNorm = 0, 0
	listed := slices.DeleteFunc(c.Changes(paper), func(change string) bool {
		key, _, _ := strings.Cut(change, " = ")
		return slices.Contains(notListed, key)
	})
	return strings.Join(listed, ", ")
}
