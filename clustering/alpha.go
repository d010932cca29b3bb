package clustering

import (
	"strconv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// Bounds of Options.Alpha: far beyond them a set has one cluster, or as many as points.
const (
	lowestAlpha  = 1e-3
	highestAlpha = 1e3
)

// parseAlpha reads Options.Alpha; 0 for the range of the training.
func parseAlpha(text string) (alpha float64, err error) {
	if text == "" {
		return 0, nil
	}
	alpha, err = strconv.ParseFloat(text, 64)
	if err != nil || !(alpha >= lowestAlpha && alpha <= highestAlpha) {
		return 0, usererr.New("use a value such as 1, within 0.001..1000", "Alpha = %q", text)
	}
	return alpha, nil
}

// withAlpha returns the network and the range of its sets with what Options.Alpha says.
func (o Options) withAlpha(net *models.Network, known data.Config) (*models.Network, data.Config, error) {
	alpha, err := parseAlpha(o.Alpha)
	switch {
	case err != nil || alpha == 0:
		return net, known, err
	case known.FixedK > 0:
		return nil, known, usererr.New("leave it out", "Alpha = %q says nothing about a model of exactly %d clusters",
			o.Alpha, known.FixedK)
	}
	known.AlphaMin, known.AlphaMax = alpha, alpha
	return net.GivenAlpha(alpha), known, nil
}

// warnAlpha says where Options.Alpha does not reach, or leads out of the training.
func (o Options) warnAlpha(p *prepared, net *models.Network, trained data.Config) {
	alpha, _ := parseAlpha(o.Alpha) // Validate saw its faults
	switch {
	case alpha == 0:
	case !net.Config.Alpha:
		p.warn("this model has no α as an input: Alpha changes the prior of K alone")
	case alpha < trained.AlphaMin || alpha > trained.AlphaMax:
		p.warn("α = %g is outside of the model's training range %g..%g", alpha, trained.AlphaMin, trained.AlphaMax)
	}
}

// kPrior is a network's P(K) of n points before they are seen, as far as it is known.
func kPrior(known data.Config, n int) []posterior.KProb {
	switch {
	case known.IsTables():
		return tablesPrior(known, n)
	case known.FixedK > 0:
		return nil
	}
	prior := posterior.CRP{
		Alpha: known.AlphaMin, AlphaMax: known.AlphaMax, MinK: known.MinK, MaxK: known.MaxK,
	}
	law, err := prior.KLaw(n)
	if err != nil { // the range of K asks for more points
		return nil
	}
	return law
}
