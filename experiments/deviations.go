package experiments

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// deviations says in what a training's config differs from the paper's on a data set with fixedK clusters (0: free),
// for the note at a cell of its results: all that is ours is read off the config. What a row is named after, GFNCP's
// parameters, is not listed, nor the steps, which have a column.
func (d dataset) deviations(c train.Config, fixedK int) []string {
	return slices.Concat(d.ofData(c.Data, d.config(c.Model).Data, fixedK), ofNetwork(c), ofObjective(c), ofWay(c))
}

// ofData are the deviations of the sets of a training from the paper's.
func (d dataset) ofData(c, paper data.Config, fixedK int) (all []string) {
	add := func(differs bool, format string, args ...any) {
		if differs {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(fixedK > 0 && c.FixedK == 0, "free K")
	add(c.IsMixture() && c.Mode == data.ModeGenerative, "true clusters in place of instance discrimination")
	free := c.FixedK == 0
	add(free && c.AlphaMin == c.AlphaMax && c.AlphaMin != d.Alpha, "α = %g", c.AlphaMin)
	add(free && c.AlphaMin < c.AlphaMax, "α log-uniform in %g..%g", c.AlphaMin, c.AlphaMax)
	add(c.Batch != paper.Batch || c.NMin != paper.NMin || c.NMax != paper.NMax,
		"%d sets of %d..%d points a step", c.Batch, c.NMin, c.NMax)
	add(c.AugmentBase && !paper.AugmentBase, "base points augmented, too (published code)")
	add(c.Mode == data.ModeInstance && c.Neighbors > 0,
		"%s as positives beside its augmentations (no label is read)", positives(c))
	return all
}

// positives says which images count as the same cluster as a base image.
func positives(c data.Config) string {
	if c.Walk > 0 {
		return fmt.Sprintf("the ends of random walks of %d steps over the %d mutual nearest neighbours of a base image",
			c.Walk, c.Neighbors)
	}
	return fmt.Sprintf("the %d nearest neighbours of a base image", c.Neighbors)
}

// ofNetwork are the deviations of what a network sees.
func ofNetwork(c train.Config) []string {
	if more := seesMore(c.Net); more != "" {
		return []string{"a network that sees more than the paper's (" + more + ")"}
	}
	return nil
}

// seesMore names what a network sees or is beyond the paper's.
func seesMore(c models.Config) string {
	var more []string
	for _, part := range []struct {
		has  bool
		name string
	}{
		{c.Moments, "net.moments"},
		{c.MeanShift, "net.mean_shift"},
		{c.Attention > 0, "net.attention"},
		{c.Alpha, "net.alpha"},
		{c.Additive, "net.additive"},
	} {
		if part.has {
			more = append(more, part.name)
		}
	}
	return strings.Join(more, ", ")
}

// ofObjective are the deviations of what is minimized.
func ofObjective(c train.Config) (all []string) {
	switch c.Model {
	case train.DAC:
		if c.Data.IsMixture() && !c.Peer.Likelihood {
			all = append(all, "no cluster likelihood in the loss")
		}
	case train.GFNCP:
		l := c.Loss
		if l.Flows == losses.FlowsFree {
			return []string{fmt.Sprintf("likelihood, and free flows balanced with weight %g", l.BalanceWeight)}
		}
		if l.NLLWeight > 0 {
			all = append(all, fmt.Sprintf("a likelihood term of weight %g", l.NLLWeight))
		}
		if l.Explore == losses.MergeBlocks {
			all = append(all, "exploration merges whole clusters (published code)")
		}
		if l.MCEpsilon > 0 {
			all = append(all, fmt.Sprintf("log-flows clamped by %g (published code)", l.MCEpsilon))
		}
		if l.Gauge > 0 {
			all = append(all, fmt.Sprintf("a gauge term of weight %g", l.Gauge))
		}
	}
	return all
}

// ofWay are the deviations of how the minimum is looked for.
func ofWay(c train.Config) (all []string) {
	if c.Model == train.GFNCP && c.Train.WarmupSteps > 0 {
		all = append(all, fmt.Sprintf("likelihood alone for the first %d steps", c.Train.WarmupSteps))
	}
	if c.Train.ClipNorm > 0 {
		all = append(all, fmt.Sprintf("gradients clipped to norm %g", c.Train.ClipNorm))
	}
	if from := begunFrom(c); from != "" {
		all = append(all, from)
	}
	return all
}

// begunFrom names the weights that a training began from, shipped ones or those of a stage before it.
func begunFrom(c train.Config) string {
	shipped := strings.TrimSuffix(path.Base(c.Train.Init), ".safetensors")
	switch {
	case c.Train.Init == "":
		return ""
	case !strings.HasPrefix(c.Train.Init, "pretrained/"):
		return "begun from a run before it (pretrained/configs)"
	case c.IsPeer():
		return "begun from the image encoder of " + shipped
	case c.Net.Online:
		return "begun from " + shipped + ", which looks ahead, without its u"
	}
	return "begun from " + shipped
}
