package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
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
		key := string(labelBytes(prefix))
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
			lp, err := LogProb(table, labels)
			if err != nil {
				t.Fatal(err)
			}
			total += math.Exp(lp)
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

func labelBytes(labels []int32) []byte {
	b := make([]byte, len(labels))
	for i, c := range labels {
		b[i] = byte(c)
	}
	return b
}

func TestLogProbShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	table, labels := randomEnergies(rng, 40, 0, 4)
	want, err := LogProb(table, labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, shift := range []float64{-1e5, 1e5} { // exp(±1e5) leaves the float64 range
		for _, row := range table {
			for k := range row {
				row[k] += shift
			}
		}
		got, err := LogProb(table, labels)
		if err != nil || !(math.Abs(got-want) <= 1e-8) {
			t.Errorf("LogProb = %v, %v after a shift by %v, want %v", got, err, shift, want)
		}
	}
}

func TestEnergyTableErrors(t *testing.T) {
	ok := []float64{1, 2}
	cases := []struct {
		name   string
		e      EnergyTable
		labels []int32
		want   error
	}{
		{"rows", EnergyTable{nil, ok}, []int32{0, 0, 0}, ErrLength},
		{"row too short", EnergyTable{nil, {1}}, []int32{0, 0}, ErrLength},
		{"row too long", EnergyTable{nil, ok, {1, 2, 3}}, []int32{0, 0, 0}, ErrLength},
		{"row lacks the new cluster", EnergyTable{nil, ok, {1, 2}}, []int32{0, 1, 0}, ErrLength},
		{"first row", EnergyTable{{1}, ok}, []int32{0, 0}, ErrLength},
		{"first label", EnergyTable{nil, ok}, []int32{1, 0}, ErrNotCanonical},
		{"skipped label", EnergyTable{nil, ok}, []int32{0, 2}, ErrNotCanonical},
		{"negative label", EnergyTable{nil, ok}, []int32{0, -1}, ErrNotCanonical},
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
