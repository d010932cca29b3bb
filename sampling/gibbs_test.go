package sampling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/models"
)

// withMoments returns a network as newNet does, in its extended form.
func withMoments(seed uint64) (*models.Network, models.Config, models.Params) {
	c := models.Config{Dim: 2, Hidden: 32, Embed: 16, Global: 24, Moments: true}
	ps := c.Init(rand.New(rand.NewPCG(seed, 0)))
	for _, p := range ps {
		for i := range p.Data {
			p.Data[i] *= 1.5
		}
	}
	return must.M1(models.NewNetwork(goBackend(), c, ps)), c, ps
}

// Long chains visit each partition as often as exp(−E) of the whole labelled set says, whatever they start from.
func TestGibbsIsStationaryAtTheFinalEnergy(t *testing.T) {
	const n, chains, sweeps = 4, 600, 12
	net, c, ps := withMoments(5)
	x := newPoints(6, 2, n)
	sets := must.M1(Encode(net, x, 2, n))
	x = x[n*c.Dim:] // of set 1
	literal := must.M1(models.NewLiteral(c, ps))
	all := partitions(n)
	mass, total := make([]float64, len(all)), 0.0
	for i, labels := range all {
		mass[i] = math.Exp(-literal.Energy(x, labels))
		total += mass[i]
	}
	start := make([][]int32, chains)
	for i := range start {
		start[i] = all[i%len(all)]
	}
	sequences := slices.Repeat([]Sequence{{Set: 1}}, chains)
	labels, final, err := sets.Gibbs(rand.New(rand.NewPCG(7, 0)), sequences, start, sweeps)
	if err != nil {
		t.Fatal(err)
	}
	count := make([]float64, len(all))
	for i, l := range labels {
		at := slices.IndexFunc(all, func(p []int32) bool { return slices.Equal(p, l) })
		count[at]++
		assertNear(t, "final energy", final[i], literal.Energy(x, l), 1e-3)
	}
	chi := 0.0
	for i, m := range mass {
		expected := chains * m / total
		chi += (count[i] - expected) * (count[i] - expected) / max(expected, 1)
	}
	if chi > 36 { // 14 degrees of freedom, significance 0.001
		t.Errorf("χ² = %.1f of visits %v, expected masses %v", chi, count, mass)
	}
}

// Chains are their own: the same seed gives the same labels however many run beside each other on however many cores,
// and no sweeps leave the partition, and its energy, as it is.
func TestGibbsChainsAreIndependent(t *testing.T) {
	const n = 9
	net, c, ps := withMoments(8)
	x := newPoints(9, 2, n)
	sets := must.M1(Encode(net, x, 2, n))
	literal := must.M1(models.NewLiteral(c, ps))
	start := randomLabels(10, 5, n, 4)
	sequences := []Sequence{{Set: 0}, {Set: 1}, {Set: 1}, {Set: 0}, {Set: 1}}
	all, _, err := sets.Gibbs(rand.New(rand.NewPCG(11, 0)), sequences, start, 3)
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := sets.Gibbs(rand.New(rand.NewPCG(11, 0)), sequences[:1], start[:1], 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all[0], first[0]) {
		t.Errorf("chain 0 ends at %v beside others, at %v alone", all[0], first[0])
	}
	still, final, err := sets.Gibbs(rand.New(rand.NewPCG(11, 0)), sequences, start, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range still {
		if !slices.Equal(still[i], canonical(start[i])) {
			t.Errorf("no sweeps changed chain %d from %v to %v", i, start[i], still[i])
		}
		set := sequences[i].Set
		assertNear(t, "final energy", final[i], literal.Energy(x[set*n*c.Dim:(set+1)*n*c.Dim], still[i]), 1e-3)
	}
	if _, _, err := sets.Gibbs(rand.New(rand.NewPCG(1, 0)), sequences, start[:2], 1); err == nil {
		t.Error("too few labellings are accepted")
	}
	if _, _, err := sets.Gibbs(rand.New(rand.NewPCG(1, 0)), []Sequence{{Set: 2}}, start[:1], 1); err == nil {
		t.Error("a chain on no set is accepted")
	}
}
