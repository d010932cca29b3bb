package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// naiveMC writes the loss of spec section 3 step by step, with plain exponentials.
func naiveMC(e EnergyTable, labels []int32) Consistency {
	last := len(labels) - 1
	eHat := func(n, k int) float64 { // Ê of the state after point n (0-based) took slot k
		switch {
		case n == 0:
			return 0
		case n == last:
			return e[n][k]
		}
		low := math.Inf(1)
		for _, v := range e[n] {
			low = math.Min(low, v)
		}
		return e[n][k] - low
	}
	var c Consistency
	for n := 1; n <= last; n++ {
		in, out := math.Exp(-eHat(n-1, int(labels[n-1]))), 0.0
		for k := range e[n] {
			out += math.Exp(-eHat(n, k))
		}
		c.LastTerm = math.Pow(math.Log(in)-math.Log(out), 2)
		c.MC += c.LastTerm
		c.MCEps += math.Pow(math.Log(1e-5+in)-math.Log(1e-5+out), 2) / float64(last)
	}
	return c
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-10*(1+math.Abs(b)) }

func TestMCAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		e, labels := randomEnergies(rng, 2+rng.IntN(30), 5*rng.NormFloat64(), 6)
		got, err := MC(e, labels)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveMC(e, labels)
		if !near(got.MC, want.MC) || !near(got.MCEps, want.MCEps) || !near(got.LastTerm, want.LastTerm) {
			t.Errorf("MC = %+v, want %+v", got, want)
		}
	}
}

func TestMCByHand(t *testing.T) {
	ln := math.Log
	// N = 2: the only step is the last, with raw energies: (0 + log(e^−1 + e^−2))².
	got, err := MC(EnergyTable{nil, {1, 2}}, []int32{0, 1})
	want := square(ln(math.Exp(-1) + math.Exp(-2)))
	if err != nil || !near(got.MC, want) || !near(got.LastTerm, want) {
		t.Errorf("N = 2: %+v, %v, want %v", got, err, want)
	}
	// N = 3, labels 0 1 0. Step 2: E − min = (0, ln 3), log(1 + 1/3) against 0. Step 3: flow in e^−ln3 = 1/3, flow out
	// three candidates of raw energy ln 9, 3/9 = 1/3: balanced.
	got, err = MC(EnergyTable{nil, {10, 10 + ln(3)}, {ln(9), ln(9), ln(9)}}, []int32{0, 1, 0})
	if err != nil || !near(got.MC, square(ln(4./3))) || got.LastTerm > 1e-20 {
		t.Errorf("N = 3: %+v, %v, want MC %v and last term 0", got, err, square(ln(4./3)))
	}
	// The clamp, on the same steps: log(1e-5+4/3) − log(1e-5+1), and 0; mean of two.
	if want := square(ln(1e-5+4./3)-ln(1e-5+1)) / 2; !near(got.MCEps, want) {
		t.Errorf("N = 3: MCEps %v, want %v", got.MCEps, want)
	}
	// The published code's leaves the second of them out, and divides by N.
	if want := square(ln(1e-5+4./3)-ln(1e-5+1)) / 3; !near(got.Published, want) {
		t.Errorf("N = 3: Published %v, want %v", got.Published, want)
	}
}

// Energies far outside the range of exp: the exact loss grows as the square, the clamp bounds small flows below.
func TestMCExtremeEnergies(t *testing.T) {
	for _, c := range []struct{ energy, mc, mcEps float64 }{
		// One step, two candidates of energy E: log-flow out log 2 − E.
		{1e4, square(math.Ln2 - 1e4), square(math.Log(1e-5) - math.Log1p(1e-5))},
		{-1e4, square(math.Ln2 + 1e4), square(math.Ln2 + 1e4 - math.Log1p(1e-5))},
	} {
		got, err := MC(EnergyTable{nil, {c.energy, c.energy}}, []int32{0, 0})
		if err != nil || !near(got.MC, c.mc) || !near(got.MCEps, c.mcEps) {
			t.Errorf("E = %v: %+v, %v, want MC %v, MCEps %v", c.energy, got, err, c.mc, c.mcEps)
		}
	}
}

// Only the last row sees an additive constant: earlier rows are measured from their minimum.
func TestMCFreeConstant(t *testing.T) {
	e, labels := randomEnergies(rand.New(rand.NewPCG(9, 10)), 12, 0, 2)
	before, err := MC(e, labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range e[:len(e)-1] {
		for k := range row {
			row[k] += 1000
		}
	}
	after, err := MC(e, labels)
	if err != nil || !(math.Abs(after.MC-before.MC) <= 1e-9) {
		t.Errorf("MC %v became %v, %v", before.MC, after.MC, err)
	}
}
