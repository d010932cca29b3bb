package experiments

import (
	"fmt"
	"path"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// remarks are the parts of a note about a training.
type remarks []string

// add adds a remark if holds is true.
func (r *remarks) add(holds bool, format string, args ...any) {
	if holds {
		*r = append(*r, fmt.Sprintf(format, args...))
	}
}

// deviations lists how a training's config differs from the paper's on a data set with fixedK clusters (0: free).
// GFNCP's parameters, after which rows are named, and the steps, which have a column, are not listed.
func (d dataset) deviations(c train.Config, fixedK int) (r remarks) {
	r.data(c.Data, d.config(c.Model).Data, d.Alpha, fixedK)
	more := seesMore(c.Net)
	r.add(more != "", "a network that sees more than the paper's (%s)", more)
	r.objective(c)
	r.add(c.Model == train.GFNCP && c.Train.WarmupSteps > 0,
		"likelihood alone for the first %d steps", c.Train.WarmupSteps)
	r.add(c.Train.ClipNorm > 0, "gradients clipped to norm %g", c.Train.ClipNorm)
	from := begunFrom(c)
	r.add(from != "", "begun from %s", from)
	return r
}

// data adds how the sets of a training deviate from the paper's.
func (r *remarks) data(c, paper data.Config, alpha float64, fixedK int) {
	r.add(fixedK > 0 && c.FixedK == 0, "free K")
	r.add(c.IsMixture() && c.Mode == data.ModeGenerative, "true clusters in place of instance discrimination")
	free := c.FixedK == 0
	r.add(free && c.AlphaMin == c.AlphaMax && c.AlphaMin != alpha, "α = %g", c.AlphaMin)
	r.add(free && c.AlphaMin < c.AlphaMax, "α log-uniform in %g..%g", c.AlphaMin, c.AlphaMax)
	r.add(c.Batch != paper.Batch || c.NMin != paper.NMin || c.NMax != paper.NMax,
		"%d sets of %d..%d points a step", c.Batch, c.NMin, c.NMax)
	r.add(c.LogN, "N log-uniform")
	r.add(c.AugmentBase && !paper.AugmentBase, "base points augmented, too (published code)")
	r.add(c.Mode == data.ModeInstance && c.Neighbors > 0,
		"%s as positives beside its augmentations (no label is read)", positives(c))
}

// positives says which images count as the same cluster as a base image.
func positives(c data.Config) string {
	if c.Walk > 0 {
		return fmt.Sprintf("the ends of random walks of %d steps over the %d mutual nearest neighbours of a base image",
			c.Walk, c.Neighbors)
	}
	return fmt.Sprintf("the %d nearest neighbours of a base image", c.Neighbors)
}

// seesMore names the inputs and parts of a network that the paper's network lacks.
func seesMore(c models.Config) string {
	var more remarks
	more.add(c.Moments, "net.moments")
	more.add(c.MeanShift, "net.mean_shift")
	more.add(c.Alpha, "net.alpha")
	more.add(c.Additive, "net.additive")
	return strings.Join(more, ", ")
}

// objective adds how the training objective deviates from the paper's.
func (r *remarks) objective(c train.Config) {
	l := c.Loss
	switch {
	case c.Model == train.DAC:
		r.add(c.Data.IsMixture() && !c.Peer.Likelihood, "no cluster likelihood in the loss")
	case c.Model == train.GFNCP && l.Flows == losses.FlowsFree:
		r.add(true, "likelihood, and free flows balanced with weight %g", l.BalanceWeight)
	case c.Model == train.GFNCP:
		r.add(l.NLLWeight > 0, "a likelihood term of weight %g", l.NLLWeight)
		r.add(l.Explore == losses.MergeBlocks, "exploration merges whole clusters (published code)")
		r.add(l.MCEpsilon > 0, "log-flows clamped by %g (published code)", l.MCEpsilon)
		r.add(l.Gauge > 0, "a gauge term of weight %g", l.Gauge)
	}
}

// begunFrom names the weights that a training began from: shipped weights, or the weights of an earlier stage.
func begunFrom(c train.Config) string {
	shipped := strings.TrimSuffix(path.Base(c.Train.Init), ".safetensors")
	switch {
	case c.Train.Init == "":
		return ""
	case !strings.HasPrefix(c.Train.Init, "pretrained/"):
		return "a run before it (pretrained/configs)"
	case c.IsPeer():
		return "the image encoder of " + shipped
	case c.Net.Online:
		return shipped + ", which looks ahead, without its u"
	}
	return shipped
}
