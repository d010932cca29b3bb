package evaluation

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// The exact last decision is the exact law of all partitions, conditioned on the labels of all points but one.
func TestExactDecisionIsConditionalOfEnumeration(t *testing.T) {
	c := data.DefaultMoG().HeldOut(1, 6, 0)
	c.AlphaMin, c.AlphaMax, c.MinK, c.SigmaMu = 0.5, 4, 1, 2
	source := must.M1(data.NewMoG(c))
	for set, err := range Sets(t.Context(), source, 3, 4) {
		must.M(err)
		prior := must.M1(priorOf(c).Prior(set.N))
		law := must.M1(posterior.EnumerateCentred(likelihoodOf(c), prior, data.Float64s(set.X)))
		for i := range set.N {
			got := must.M1(exactDecision(c, set, i))
			want, total := make([]float64, len(got)), 0.0
			rest, clusters := others(set.Labels, i)
			for at, labels := range law.Labels {
				left, _ := others(labels, i)
				if !equalLabels(left, rest) {
					continue
				}
				k := clusters // a new one
				for j, l := range labels {
					if j != i && l == labels[i] {
						k = int(rest[j-btoi(j > i)])
					}
				}
				want[k] += math.Exp(law.LogProb[at])
				total += math.Exp(law.LogProb[at])
			}
			for k := range want {
				if math.Abs(math.Exp(got[k])-want[k]/total) > 1e-9 {
					t.Fatalf("set %d, point %d, cluster %d: %v, want %v",
						set.Number, i, k, math.Exp(got[k]), want[k]/total)
				}
			}
		}
	}
}

func equalLabels(a, b []int32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The model's last decisions are the last rows of its energy table with the point put last.
func TestLastDecisionsOfANetwork(t *testing.T) {
	c := data.DefaultMoG().HeldOut(1, 7, 2)
	c.Balanced, c.Separation = true, 6
	config := models.Config{Dim: 2, Hidden: 8, Embed: 6, Global: 10, Moments: true}
	ps := config.Init(rand.New(rand.NewPCG(1, 0)))
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	net := must.M1(models.NewNetwork(backend, config, ps))
	for set, err := range Sets(t.Context(), must.M1(data.NewMoG(c)), 3, 2) {
		must.M(err)
		got := must.M1(lastDecisions(net, set, 3))
		for i, row := range got {
			rest, _ := others(set.Labels, i)
			x := slices.Concat(set.X[:i*2], set.X[(i+1)*2:], set.X[i*2:i*2+2])
			want := must.M1(net.Tables(x, append(rest, 0), 1, set.N))[0][set.N-1]
			floats.Scale(-1, want)
			must.M1(posterior.Normalize(want))
			for k := range row {
				if math.Abs(row[k]-want[k]) > 1e-3 {
					t.Errorf("set %d, point %d: %v, want %v", set.Number, i, row, want)
				}
			}
		}
	}
	l := must.M1(DecisionsOf(t.Context(), net, Test{Data: c, Sets: 2, Seed: 3}, 3))
	if l.Sets != 2 || !(l.KL > 0 && l.Worst >= l.KL) || !(l.New > l.Exact && l.Exact > 0) {
		t.Errorf("an untrained network's last decisions: %+v", l)
	}
}

// The energies of net.additive start as those of Gaussian clusters: with no step of training the last decision of a
// mixture, α = 1, is nearly the exact one, which knows the origin besides. Without net.additive it is far off.
func TestAdditiveStartsAtTheLastDecision(t *testing.T) {
	c := data.DefaultMoG().HeldOut(1, 40, 0)
	c.AlphaMin, c.AlphaMax, c.MinK = 1, 1, 1
	test := Test{Data: c, Sets: 6, Seed: 5}
	for additive, holds := range map[bool]func(kl float64) bool{
		true:  func(kl float64) bool { return kl < 0.002 },
		false: func(kl float64) bool { return kl > 0.5 },
	} {
		net := models.Default(2)
		net.Hidden, net.Moments, net.MeanShift, net.Additive = 16, true, true, additive
		opened := must.M1(models.NewNetwork(must.M1(must.M1(engine.Choose("go")).Open()), net,
			net.Init(rand.New(rand.NewPCG(6, 0)))))
		if last := must.M1(DecisionsOf(t.Context(), opened, test, 10)); !holds(last.KL) {
			t.Errorf("additive %v: KL to the exact last decision is %v", additive, last.KL)
		}
	}
}
