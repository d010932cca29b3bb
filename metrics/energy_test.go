package metrics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat"
)

// randomEnergies returns canonical labels [N] and an energy table of their shape, entries N(offset, scale²).
func randomEnergies(rng *rand.Rand, n int, offset, scale float64) (EnergyTable, []int32) {
	labels := make([]int32, n)
	table := make(EnergyTable, n)
	k := 1
	for i := 1; i < n; i++ {
		table[i] = make([]float64, k+1)
		for j := range table[i] {
			table[i][j] = offset + scale*rng.NormFloat64()
		}
		labels[i] = int32(rng.IntN(k + 1))
		if int(labels[i]) == k {
			k++
		}
	}
	return table, labels
}

func TestLogProbByHand(t *testing.T) {
	// Point 2: softmax(−0, −ln 3) = (3/4, 1/4), label 1. Point 3: softmax of equal energies, 1/3. Sum log(1/12).
	e := EnergyTable{nil, {0, math.Log(3)}, {5, 5, 5}}
	got, err := LogProb(e, []int32{0, 1, 1})
	if want := math.Log(1. / 12); err != nil || !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("LogProb = %v, %v, want %v", got, err, want)
	}
	if got, err := LogProb(EnergyTable{nil}, []int32{0}); got != 0 || err != nil {
		t.Errorf("LogProb of one point = %v, %v, want 0", got, err)
	}
}

// The probabilities of all labelings sum to 1, and a constant added to a row changes nothing.
func TestLogProbSumsToOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	energies := map[string][]float64{} // a row for each label prefix, as a network would give
	row := func(prefix []int32, k int32) []float64 {
		key := fmt.Sprint(prefix)
		if energies[key] == nil {
			for range k + 1 {
				energies[key] = append(energies[key], 3*rng.NormFloat64())
			}
		}
		return energies[key]
	}
	const n = 6
	total, count := 0.0, 0
	var walk func(labels []int32, table EnergyTable, k int32)
	walk = func(labels []int32, table EnergyTable, k int32) {
		if len(labels) == n {
			total += math.Exp(must.M1(LogProb(table, labels)))
			count++
			return
		}
		r := row(labels, k)
		for c := int32(0); c <= k; c++ {
			walk(append(labels[:len(labels):len(labels)], c), append(table[:len(table):len(table)], r), max(k, c+1))
		}
	}
	walk([]int32{0}, EnergyTable{nil}, 1)
	if count != 203 { // Bell(6)
		t.Errorf("walked %d partitions of 6 points, want 203", count)
	}
	if !(math.Abs(total-1) <= 1e-12) {
		t.Errorf("probabilities sum to %v", total)
	}
}

func TestLogProbShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	table, labels := randomEnergies(rng, 40, 0, 4)
	want := must.M1(LogProb(table, labels))
	for _, shift := range []float64{-1e5, 1e5} { // exp(±1e5) leaves the float64 range
		for _, row := range table {
			for k := range row {
				row[k] += shift
			}
		}
		if got := must.M1(LogProb(table, labels)); !(math.Abs(got-want) <= 1e-8) {
			t.Errorf("LogProb = %v after a shift by %v, want %v", got, shift, want)
		}
	}
}

func TestEnergyTableErrors(t *testing.T) {
	cases := []struct {
		name   string
		e      EnergyTable
		labels []int32
		want   error
	}{
		{"NaN", EnergyTable{nil, {1, math.NaN()}}, []int32{0, 0}, ErrNotFinite},
		{"Inf", EnergyTable{nil, {1, math.Inf(1)}}, []int32{0, 0}, ErrNotFinite},
		{"empty", nil, nil, ErrTooFew},
	}
	for _, c := range cases {
		if _, err := LogProb(c.e, c.labels); !errors.Is(err, c.want) {
			t.Errorf("LogProb, %s: %v, want %v", c.name, err, c.want)
		}
		if _, err := MC(c.e, c.labels); !errors.Is(err, c.want) {
			t.Errorf("MC, %s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := MC(EnergyTable{nil}, []int32{0}); !errors.Is(err, ErrTooFew) {
		t.Errorf("MC of one point: %v, want ErrTooFew", err)
	}
}

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
		got, want := must.M1(MC(e, labels)), naiveMC(e, labels)
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
	before := must.M1(MC(e, labels))
	for _, row := range e[:len(e)-1] {
		for k := range row {
			row[k] += 1000
		}
	}
	if after := must.M1(MC(e, labels)); !(math.Abs(after.MC-before.MC) <= 1e-9) {
		t.Errorf("MC %v became %v", before.MC, after.MC)
	}
}

func TestSDPPByHand(t *testing.T) {
	// p = 1, 2, 3, 6 (times any scale): mean 3, population variance (4+1+0+9)/4 = 3.5.
	want := math.Sqrt(3.5) / 3
	for _, scale := range []float64{0, -5000, 5000} { // exp(±5000) is 0 or +Inf in float64
		logs := []float64{scale, scale + math.Log(2), scale + math.Log(3), scale + math.Log(6)}
		got, err := SDPP(logs)
		if err != nil || !(math.Abs(got-want) <= 1e-11) {
			t.Errorf("scale exp(%v): SDPP = %v, %v, want %v", scale, got, err, want)
		}
	}
}

// The ratio of the moments of the probabilities.
func TestSDPPAgainstMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	logs, probs := make([]float64, 500), make([]float64, 500)
	for r := range logs {
		logs[r] = rng.NormFloat64() - 3
		probs[r] = math.Exp(logs[r])
	}
	want := stat.PopStdDev(probs, nil) / stat.Mean(probs, nil)
	if got, err := SDPP(logs); err != nil || !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("SDPP = %v, %v, want %v", got, err, want)
	}
}

func TestSDPPLimits(t *testing.T) {
	logs := make([]float64, 500)
	for r := range logs {
		logs[r] = -5000
	}
	if got, err := SDPP(logs); got != 0 || err != nil {
		t.Errorf("equal orders: %v, %v, want 0", got, err)
	}
	logs[77] = -4000 // outweighs the rest by exp(1000)
	got, err := SDPP(logs)
	if want := math.Sqrt(499); err != nil || !(math.Abs(got-want) <= 1e-10) || got > want {
		t.Errorf("one order dominates: %v, %v, want the ceiling %v", got, err, want)
	}
	for r := range logs {
		if r != 77 {
			logs[r] = math.Inf(-1)
		}
	}
	if got, err := SDPP(logs); err != nil || !(math.Abs(got-math.Sqrt(499)) <= 1e-10) {
		t.Errorf("one order possible: %v, %v", got, err)
	}
	// Differences below the rounding of exp: p = 1 and 1−d, so SD/mean = (d/2)/(1−d/2).
	const d = 1e-13
	if got, err := SDPP([]float64{0, math.Log1p(-d)}); err != nil || !(math.Abs(got/(d/2)-1) <= 1e-12) {
		t.Errorf("tiny spread: %v, %v, want %v", got, err, d/2)
	}
}

func TestSDPPErrors(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		logs []float64
		want error
	}{
		{nil, ErrTooFew},
		{[]float64{1}, ErrTooFew},
		{[]float64{1, math.NaN()}, ErrNotFinite},
		{[]float64{1, inf}, ErrNotFinite},
		{[]float64{-inf, -inf}, ErrNotFinite},
	} {
		if _, err := SDPP(c.logs); !errors.Is(err, c.want) {
			t.Errorf("SDPP(%v): %v, want %v", c.logs, err, c.want)
		}
	}
}
