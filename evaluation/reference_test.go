package evaluation

import (
	"context"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// The more a reference sees, the better it is: the points so far, all points, the components themselves.
func TestReferences(t *testing.T) {
	test := Test{Data: data.DefaultMoG().HeldOut(6, 100, 0), Sets: 48, Seed: 3}
	var ari []float64
	for _, r := range []Reference{Sequential, Gibbs, Oracle} {
		q := must.M1(r.Quality(context.Background(), test))
		if q.Sets != test.Sets {
			t.Errorf("%s: %d sets", r, q.Sets)
		}
		ari = append(ari, q.ARI)
	}
	if ari[0] < 0.8 || ari[1] < ari[0]+0.005 || ari[2] < ari[1]+0.005 {
		t.Errorf("ARI %.3f", ari)
	}
}
