package metrics

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

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

// powBig returns exp(exponent/64) with 300 bits: exp(1/64) by its series, then repeated squaring.
func powBig(exponent int) *big.Float {
	const prec = 300
	x := new(big.Float).SetPrec(prec).Quo(big.NewFloat(1).SetPrec(prec), big.NewFloat(64))
	base, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := 1; i < 60; i++ {
		term.Mul(term, x)
		term.Quo(term, big.NewFloat(float64(i)))
		base.Add(base, term)
	}
	result := big.NewFloat(1).SetPrec(prec)
	for n := max(exponent, -exponent); n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, base)
		}
		base.Mul(base, base)
	}
	if exponent < 0 {
		result.Quo(big.NewFloat(1).SetPrec(prec), result)
	}
	return result
}

// Logs around −5000 against arithmetic in big floats, which do not underflow there.
func TestSDPPAgainstBigFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const orders = 50
	logs, probs := make([]float64, orders), make([]*big.Float, orders)
	sum := new(big.Float).SetPrec(300)
	for r := range logs {
		n := -5000*64 + int(200*rng.NormFloat64())
		logs[r], probs[r] = float64(n)/64, powBig(n)
		sum.Add(sum, probs[r])
	}
	mean := new(big.Float).Quo(sum, big.NewFloat(orders))
	squares := new(big.Float).SetPrec(300)
	for _, p := range probs {
		d := new(big.Float).Sub(p, mean)
		squares.Add(squares, d.Mul(d, d))
	}
	squares.Quo(squares, big.NewFloat(orders))
	ratio := squares.Quo(squares.Sqrt(squares), mean)
	want, _ := ratio.Float64()
	got, err := SDPP(logs)
	if err != nil || !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("SDPP = %v, %v, want %v", got, err, want)
	}
}

func TestSDPPOrdinaryRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	logs, probs := make([]float64, 500), make([]float64, 500)
	for r := range logs {
		logs[r] = rng.NormFloat64() - 3
		probs[r] = math.Exp(logs[r])
	}
	got, err := SDPP(logs)
	if want := stat.PopStdDev(probs, nil) / stat.Mean(probs, nil); err != nil || !(math.Abs(got-want) <= 1e-12) {
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
