package clustering

import "fmt"

// fewCompared is the share of the points in clusters large enough for CheckGaussian below which it tells too little.
const fewCompared = 0.5

// Explains reports whether the mixture that was sampled may be taken for the law of the points: its chains agree, and
// it describes them. Samples of Exact that are farther than 2 nats from each other tell no clusters. why is a clause,
// either way. A nil refinement explains nothing.
func (r *Refinement) Explains() (why string, explained bool) {
	if r == nil {
		return "its probabilities are a network's own", false
	}
	switch {
	case !r.Agrees():
		return "its chains do not agree", false
	case r.vague():
		return fmt.Sprintf("its samples are too far from each other to tell clusters (%.2g nats)", *r.VIWithin), false
	}
	why, explained = r.describes()
	if explained {
		why += ", and its chains agree"
	}
	return why, explained
}

// Unsettled reports whether only the chains' disagreement keeps Explains from taking the mixture for the law of the
// points. why is a clause; "" if not.
func (r *Refinement) Unsettled() (why string, unsettled bool) {
	if r == nil || r.Agrees() || r.vague() {
		return "", false
	}
	if why, unsettled = r.describes(); !unsettled {
		return "", false
	}
	return why + ", though its chains do not agree", true
}

// vague reports whether samples of one chain are too far from each other to tell clusters.
func (r *Refinement) vague() bool { return r.VIWithin != nil && *r.VIWithin > mostSpread }

// describes reports whether the clusters are not unlike what the mixture draws itself (posterior.Misfit for round
// clusters of one width, posterior.GaussianFit for those of any shape, which must have seen half of the points). Of
// clusters of several pieces (Joined) only the others must be Gaussian, but if all points are one cluster then, nothing
// was found.
func (r *Refinement) describes() (why string, described bool) {
	fit, round, joined := r.Gaussian, r.Fit, 0.0
	if r.Joined != nil {
		fit, joined = r.Joined.Rest, r.Joined.Share
	}
	switch {
	case r.Joined != nil && r.Joined.Clusters == 1:
		return "its clusters are no Gaussians, and points lie as densely between them as within", false
	case round != nil && round.Any() < misfitBelow:
		return fmt.Sprintf("the clusters %s (p < %g)", roundDeparture(round), misfitBelow), false
	case round != nil:
		return fmt.Sprintf("round clusters of one width describe the points (p = %.2g)", round.Any()), true
	case fit == nil:
		return "nothing is known of how well it describes the points", false
	case fit.Flat >= flatShare:
		return fmt.Sprintf("%.0f %% of the points are in clusters without volume", 100*fit.Flat), false
	case fit.Any() < gaussianBelow:
		what, _ := gaussianDeparture(fit)
		return fmt.Sprintf("%s (p < %g)", what, gaussianBelow), false
	case float64(fit.Points)+joined*float64(fit.Of) < fewCompared*float64(fit.Of):
		return "most points are in clusters too small to be compared with Gaussian ones", false
	case r.Joined != nil:
		return fmt.Sprintf("Gaussian pieces, joined where points lie dense between them (%.0f %% of the points), "+
			"describe the points", 100*joined), true
	}
	return fmt.Sprintf("Gaussian clusters describe the points (p = %.2g)", fit.Any()), true
}
