package clustering

import (
	"strings"
	"testing"

	"github.com/gfncp/gfncp/posterior"
)

// What exact sampling found is taken where chains agree, samples tell clusters, and the check finds no misfit in those
// clusters that are Gaussians; a single cluster of joined pieces is none that was found.
func TestExactExplains(t *testing.T) {
	fits := func() *posterior.GaussianFit {
		return &posterior.GaussianFit{Light: 1, Heavy: 1, Skew: 1, Close: 1, Even: 1, Points: 90, Of: 100}
	}
	misfit := fits()
	misfit.Skew = 1e-3
	few := fits()
	few.Points = 40
	near, far, farther, rHat := 1.9, 2.05, 2.2, 1.0
	vague := Refinement{VIBetween: &far, VIWithin: &far, RHatK: &rHat, RHatLogPosterior: &rHat, Gaussian: fits()}
	cases := map[string]struct {
		r    Refinement
		want string // of the clause
		yes  bool
	}{
		"agree":        {Refinement{VIBetween: &near, VIWithin: &near, Gaussian: fits()}, "describe the points", true},
		"disagree":     {Refinement{VIBetween: &farther, VIWithin: &near, Gaussian: fits()}, "do not agree", false},
		"vague":        {vague, "too far from each other", false},
		"misfit":       {Refinement{VIBetween: &near, VIWithin: &near, Gaussian: misfit}, "bent or lean", false},
		"few compared": {Refinement{VIBetween: &near, VIWithin: &near, Gaussian: few}, "too small", false},
	}
	for name, c := range cases {
		if why, yes := c.r.Explains(); yes != c.yes || !strings.Contains(why, c.want) {
			t.Errorf("%s: %q, %v", name, why, yes)
		}
	}
	for name, want := range map[string]bool{"agree": false, "disagree": true, "vague": false, "misfit": false} {
		r := cases[name].r
		if why, yes := r.Unsettled(); yes != want || yes != (why != "") {
			t.Errorf("%s: unsettled %v, %q", name, yes, why)
		}
	}
	r := Refinement{VIBetween: &near, VIWithin: &near, Gaussian: misfit}
	for clusters, want := range map[int]bool{1: false, 2: true} {
		r.Joined = &Joined{Share: 0.7, Clusters: clusters, Rest: fits()}
		if why, yes := r.Explains(); yes != want {
			t.Errorf("pieces joined to %d clusters: %q, %v", clusters, why, yes)
		}
	}
}
