package clustering

import (
	"math/rand/v2"

	"github.com/gfncp/gfncp/posterior"
)

const (
	gaussianSamples    = 25   // partitions that are compared with Gaussian clusters
	gaussianReplicates = 500  // comparisons
	gaussianBelow      = 0.05 // p-value of all departures together: conservative, for the clusters were chosen to fit
	flatShare          = 0.1  // of the points in clusters without volume that is worth a warning
)

// checkGaussian compares the clusters of samples, of points x [N,dim], with Gaussians of any shape.
func checkGaussian(rng *rand.Rand, x []float64, dim int, states []posterior.State) (*posterior.GaussianFit, error) {
	some := make([]posterior.State, min(gaussianSamples, len(states)))
	for i := range some { // at even distances
		some[i] = states[i*len(states)/len(some)]
	}
	fit, err := posterior.CheckGaussian(rng, x, dim, some, gaussianReplicates)
	return &fit, err
}

// warnGaussian says what about clusters is unlike Gaussians, and what to do about it.
func (p *prepared) warnGaussian(r *Refinement) {
	fit := r.Gaussian
	if fit.Flat >= flatShare {
		p.warn("%.0f %% of the points are in clusters in which some direction has no width: columns of few different "+
			"values, or categories, decide these clusters; compare with what you get without such columns",
			100*fit.Flat)
	}
	if !(fit.Any() < gaussianBelow) {
		return
	}
	what, do := gaussianDeparture(fit)
	if j := r.Joined; j != nil {
		p.warn("Gaussian clusters do not describe the points (p < %g): %s; pieces joined: %.0f %% of the points are "+
			"in clusters of several Gaussian pieces between which points lie as densely as within them", gaussianBelow,
			what, 100*j.Share)
		return
	}
	p.warn("Gaussian clusters do not describe the points (p < %g): %s; %s", gaussianBelow, what, do)
}

// gaussianDeparture tells the clearest departure, and the remedy.
func gaussianDeparture(fit *posterior.GaussianFit) (what, do string) {
	what, do = "the clusters end sharply, as pieces of uniform, bent or ring-like groups do",
		"look at a picture whether neighbouring clusters are one group, or use a method of density (HDBSCAN)"
	switch min(fit.Light, fit.Heavy, fit.Skew, fit.Close, fit.Even) {
	case fit.Light:
	case fit.Skew:
		what, do = "the clusters are bent or lean to one side",
			"take logarithms of skewed columns, or look at a picture whether neighbouring clusters are one group"
	case fit.Heavy:
		what, do = "too many points lie far out", "take logarithms of skewed columns, or leave the outliers out"
	case fit.Close:
		what, do = "points lie too close together, as in strings, rings and columns of rounded values",
			"look at a picture whether neighbouring clusters are one group, and leave columns of few values out"
	case fit.Even:
		what, do = "points lie too evenly, as on a grid", "leave out columns that count or that were designed"
	}
	return what, do
}
