package clustering

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// Bounds of Options.Alpha: far beyond them a set has one cluster, or as many as points.
const (
	lowestAlpha  = 1e-3
	highestAlpha = 1e3
)

// parseAlpha reads Options.Alpha as a range; 0 and 0 for that of the training.
func parseAlpha(alpha string) (lowest, highest float64, err error) {
	if alpha == "" {
		return 0, 0, nil
	}
	from, to, isRange := strings.Cut(alpha, "..")
	if !isRange {
		to = from
	}
	lowest, errFrom := strconv.ParseFloat(strings.TrimSpace(from), 64)
	highest, errTo := strconv.ParseFloat(strings.TrimSpace(to), 64)
	if fault := cmp.Or(errFrom, errTo); fault != nil ||
		!(lowest >= lowestAlpha && lowest <= highest && highest <= highestAlpha) {
		return 0, 0, usererr.New("use a value such as 1, or a range such as 0.7..7, within 0.001..1000",
			"Alpha = %q", alpha)
	}
	return lowest, highest, nil
}

// withAlpha returns the network and the range of its sets with what Options.Alpha says.
func (o Options) withAlpha(net *models.Network, known data.Config) (*models.Network, data.Config, error) {
	lowest, highest, err := parseAlpha(o.Alpha)
	switch {
	case err != nil || lowest == 0:
		return net, known, err
	case known.FixedK > 0:
		return nil, known, usererr.New("leave it out", "Alpha = %q says nothing about a model of exactly %d clusters",
			o.Alpha, known.FixedK)
	}
	known.AlphaMin, known.AlphaMax = lowest, highest
	if lowest == highest {
		net = net.GivenAlpha(lowest)
	}
	return net, known, nil
}

// warnAlpha says where Options.Alpha does not reach, or leads out of the training.
func (o Options) warnAlpha(p *prepared, net *models.Network, trained data.Config, refines bool) {
	lowest, highest, _ := parseAlpha(o.Alpha) // Validate saw its faults
	switch {
	case lowest == 0 || refines:
	case !net.Config.Alpha:
		p.warn("this model has no α as an input, and its samples are not refined: Alpha changes the prior of K alone")
	case lowest < highest:
		p.warn("the network takes α as unknown in the range of its training, %g..%g: only refined samples heed another",
			trained.AlphaMin, trained.AlphaMax)
	case lowest < trained.AlphaMin || lowest > trained.AlphaMax:
		p.warn("α = %g is outside of the model's training range %g..%g", lowest, trained.AlphaMin, trained.AlphaMax)
	}
}
