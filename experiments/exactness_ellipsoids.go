package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/posterior"
)

// ellipsoidDims are the D of the sets of ellipsoids.
var ellipsoidDims = []int{2, 3, 4, 5}

var ellipsoidNumbers = append([]number[evaluation.Exactness]{
	{"TV", func(e evaluation.Exactness) float64 { return e.TV }},
	{"TV of K", func(e evaluation.Exactness) float64 { return e.KTV }},
}, exactnessNumbers...)

// addEllipsoids adds the rows of sets whose clusters are Gaussian and of any shape: the exact law, beside collapsed
// Gibbs sampling of it, and as many independent draws of it. They are the references for models of such sets.
func addEllipsoids(s *sheet) {
	sets, samples := at(s.Scale, 2, 50, 50), at(s.Scale, 200, 4000, 4000)
	for _, d := range ellipsoidDims {
		law := evaluation.Conjugate{
			Points: exactPoints, Likelihood: posterior.StandardNIW(d), Prior: posterior.CRP{Alpha: 0.7, AlphaMax: 7},
		}
		for _, by := range []struct {
			name string
			draw evaluation.Drawer
		}{{"Exact", nil}, {"Gibbs", law.ByGibbs(samples)}, {"Exact, drawn", evaluation.Independent(samples)}} {
			key := []any{"ellipsoids", by.name, d, exactPoints, sets, samples, testSeed}
			found := measured(s, mogData, method{Name: by.name}, key, func(weights) (evaluation.Exactness, error) {
				s.say("exactness, ellipsoids in %d dimensions: %s", d, by.name)
				return law.AgainstEnumeration(s.ctx, testSeed, sets, by.draw)
			})
			cell := table.Cell{Data: fmt.Sprintf("ellipsoids in %d-D", d), Model: by.name}
			for _, n := range ellipsoidNumbers {
				n.add(s, cell, found, found.value.Sets)
			}
		}
	}
	s.note(`Ellipsoids: %d sets of %d points for each D, from the default normal-inverse-Wishart prior for standardized points
		(posterior.StandardNIW), K free. Gibbs and the draws have %d samples of each set, so the TV of the draws is what is
		left of sampling alone.`, sets, exactPoints, samples)
}
