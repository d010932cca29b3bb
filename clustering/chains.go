package clustering

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture"
)

// Chains describes the sampling of a table and its convergence.
type Chains struct {
	Chains int            `json:"chains"`
	Sweeps int            `json:"sweeps"` // of each chain
	Ending mixture.Ending `json:"ending"`
	// Restarts is how often chains at far worse modes were restarted from the best chain.
	Restarts int `json:"restarts"`
	// RHatK and RHatDensity are the split R-hat of K and of the log density over the chains; nil if they are infinite
	// or undefined. DrawsK and DrawsDensity are effective sample sizes.
	RHatK        *float64 `json:"r_hat_k"`
	RHatDensity  *float64 `json:"r_hat_density"`
	DrawsK       float64  `json:"draws_k"`
	DrawsDensity float64  `json:"draws_density"`
	// KByChain is the probability of the answer's K in each chain.
	KByChain []float64 `json:"k_by_chain"`
	// Agree tells whether the chains agree (mixture.Convergence.Agree).
	Agree bool `json:"agree"`
}

func newChains(p *mixture.Posterior) *Chains {
	finite := func(v float64) *float64 {
		if metrics.IsFinite(v) {
			return &v
		}
		return nil
	}
	c := p.Convergence
	return &Chains{
		Chains: mixture.Chains, Sweeps: p.Sweeps, Ending: p.Ending, Restarts: p.Restarts,
		RHatK: finite(c.RHatNumber), RHatDensity: finite(c.RHatDensity),
		DrawsK: c.DrawsNumber, DrawsDensity: c.DrawsDensity, KByChain: p.ByChain, Agree: c.Agree(),
	}
}

// warnChains warns if the chains disagree, if another K is more probable, or if the time ended the sampling.
func (r *Result) warnChains() {
	c := r.Chains
	doubt := "the clusters, their number and the probabilities are doubtful"
	if c.agreeOnK() {
		doubt = "the probabilities are rough"
	}
	r.warn(c.Doubtful(), "the %d chains %s (R-hat of K %s, of the log density %s, %.0f effective draws; agreement is "+
		"at most %g, and %g draws): %s", c.Chains, c.Verdict(), RHatText(c.RHatK), RHatText(c.RHatDensity),
		min(c.DrawsK, c.DrawsDensity), mixture.MostRHat, mixture.LeastDraws, doubt)
	best := likeliest(r.KPosterior)
	r.warn(best.K != r.K, "%s are more probable (%.2f), but the samples have them at different places",
		text.Count(best.K, "cluster"), best.P)
	r.warn(c.Ending == mixture.Deadline, "the time ended the sampling after %d sweeps: another machine would give "+
		"another answer", c.Sweeps)
}

// alike reports whether an R-hat is small enough for agreement.
func alike(v *float64) bool { return v != nil && *v <= mixture.MostRHat }

// Doubtful reports whether the chains disagree. It is false for chains that are only too short: their R-hats are small
// enough and they have the same most probable K. Verdict describes that.
func (c *Chains) Doubtful() bool { return !c.Agree && !(c.agreeOnK() && alike(c.RHatK)) }

// agreeOnK reports whether the density's R-hat is small and each chain gives the answer's K more than one half.
func (c *Chains) agreeOnK() bool {
	return alike(c.RHatDensity) && len(c.KByChain) > 0 && slices.Min(c.KByChain) > 0.5
}

// Verdict returns a phrase that says whether the chains agree.
func (c *Chains) Verdict() string {
	switch {
	case c.Agree:
		return "agree"
	case c.agreeOnK():
		return fmt.Sprintf("agree on K, roughly on its probability, %.2f to %.2f", slices.Min(c.KByChain),
			slices.Max(c.KByChain))
	case alike(c.RHatK) && alike(c.RHatDensity):
		return fmt.Sprintf("have only %.0f effective draws", min(c.DrawsK, c.DrawsDensity))
	}
	return "do not agree"
}

// RHatText returns the text of an R-hat, "infinite" for nil. Too large ones are rounded up.
func RHatText(v *float64) string {
	switch {
	case v == nil:
		return "infinite"
	case !alike(v):
		return fmt.Sprintf("%.2f", math.Ceil(*v*100-1e-6)/100)
	}
	return fmt.Sprintf("%.2f", *v)
}
