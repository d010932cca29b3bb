package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/metrics"
)

// naiveBinder is the share of the N² ordered pairs that are together in one partition and apart in the other.
func naiveBinder(a, b []int32) float64 {
	differ := 0
	for i := range a {
		for j := range a {
			if (a[i] == a[j]) != (b[i] == b[j]) {
				differ++
			}
		}
	}
	return float64(differ) / float64(len(a)*len(a))
}

func TestBinderByHand(t *testing.T) {
	for _, c := range []struct {
		a, b []int32
		want float64
	}{
		{[]int32{5, 5, -1}, []int32{0, 0, 3}, 0},                        // equal, renamed
		{[]int32{0, 0, 0, 0, 0}, []int32{0, 1, 2, 3, 4}, 0.8},           // (25 + 5 − 2·5)/25 = 1 − 1/N
		{[]int32{0, 0, 1, 1}, []int32{0, 0, 0, 0}, 0.5},                 // (8 + 16 − 2·8)/16
		{[]int32{0, 0, 1, 1}, []int32{0, 0, 1, 2}, 0.125},               // (8 + 6 − 2·6)/16
		{[]int32{0, 0, 0, 1, 1, 1}, []int32{0, 0, 1, 1, 2, 2}, 5. / 18}, // (18 + 12 − 2·10)/36, cells 2, 1, 1, 2
	} {
		near(t, "Binder", must[float64](t)(LossBinder.Distance(c.a, c.b)), c.want, 1e-15)
		near(t, "naive Binder", naiveBinder(c.a, c.b), c.want, 1e-15)
	}
	if LossBinder.String() != "Binder" || LossVI.String() != "VI" {
		t.Errorf("names %v, %v", LossBinder, LossVI)
	}
}

func TestBinderPointEstimateAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	for range 50 {
		n := 5 + rng.IntN(40)
		samples := noisySamples(rng, randomLabels(rng, n, 4), 1+rng.IntN(15), 4)
		samples = append(samples, samples[0], samples[len(samples)/2])
		index, value, err := LossBinder.PointEstimate(samples, samples)
		if err != nil {
			t.Fatal(err)
		}
		best, at := math.Inf(1), -1
		for i, c := range samples {
			want := 0.0
			for _, s := range samples {
				want += naiveBinder(c, s) / float64(len(samples))
			}
			near(t, "expected Binder", must[float64](t)(LossBinder.Expected(c, samples)), want, 1e-13)
			if want < best-1e-12 {
				best, at = want, i
			}
		}
		if index != at || !(math.Abs(value-best) <= 1e-12) {
			t.Errorf("PointEstimate = %d, %v, want %d, %v", index, value, at, best)
		}
	}
}

// Equal candidates are looked at once, wherever they stand, and of several best ones the first is taken.
func TestPointEstimateRepeatsAndTies(t *testing.T) {
	bad, good := []int32{0, 0, 1, 2}, []int32{0, 0, 1, 1}
	for _, loss := range []Loss{LossVI, LossBinder} {
		for _, c := range []struct {
			candidates, samples [][]int32
			want                int
		}{
			{[][]int32{bad, bad, {7, 7, 3, 1}, good, bad}, [][]int32{good}, 3},
			{[][]int32{{0, 1, 2, 2}, {0, 0, 1, 2}, {0, 1, 2, 2}}, [][]int32{good}, 0},
		} {
			if index, _, err := loss.PointEstimate(c.candidates, c.samples); err != nil || index != c.want {
				t.Errorf("%v: PointEstimate(%v) = %d, %v, want %d", loss, c.candidates, index, err, c.want)
			}
		}
	}
}

// Twenty samples around {01|23}. VI: splitting a pair costs ½·log 2, all apart or all together log 2. Binder: a split
// 2/16, all apart 4/16, all together 8/16.
func TestCredibleBallByHand(t *testing.T) {
	estimate := []int32{0, 0, 1, 1}
	apart, together := []int32{0, 1, 2, 3}, []int32{0, 0, 0, 0}
	split, other := []int32{0, 0, 1, 2}, []int32{0, 1, 2, 2}
	samples := slices.Repeat([][]int32{{4, 4, 9, 9}}, 12)
	samples = append(samples, together, split, split, other, split, []int32{7, 7, 3, 2}, other, apart)

	half := math.Ln2 / 2
	for _, c := range []struct {
		name                     string
		loss                     Loss
		level, radius, prob      float64
		upper, lower, horizontal Bound
	}{
		// 19 of 20: the 19th and 20th tie at log 2, so the ball holds all
		{
			"VI 0.95", LossVI, 0.95, math.Ln2, 1,
			Bound{math.Ln2, [][]int32{together}},
			Bound{math.Ln2, [][]int32{apart}},
			Bound{math.Ln2, [][]int32{together, apart}},
		},
		// 18 of 20: up to one split; the fewest clusters are the estimate's own
		{
			"VI 0.9", LossVI, 0.9, half, 0.9,
			Bound{0, [][]int32{estimate}},
			Bound{half, [][]int32{split, other}},
			Bound{half, [][]int32{split, other}},
		},
		{
			"VI 1", LossVI, 1, math.Ln2, 1,
			Bound{math.Ln2, [][]int32{together}},
			Bound{math.Ln2, [][]int32{apart}},
			Bound{math.Ln2, [][]int32{together, apart}},
		},
		{
			"VI 0.6", LossVI, 0.6, 0, 0.6,
			Bound{0, [][]int32{estimate}},
			Bound{0, [][]int32{estimate}},
			Bound{0, [][]int32{estimate}},
		},
		// 14 of 20: the six splits tie
		{
			"Binder 0.7", LossBinder, 0.7, 0.125, 0.9,
			Bound{0, [][]int32{estimate}},
			Bound{0.125, [][]int32{split, other}},
			Bound{0.125, [][]int32{split, other}},
		},
		{
			"Binder 0.95", LossBinder, 0.95, 0.25, 0.95,
			Bound{0, [][]int32{estimate}},
			Bound{0.25, [][]int32{apart}},
			Bound{0.25, [][]int32{apart}},
		},
	} {
		b, err := c.loss.CredibleBall(estimate, samples, c.level)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.name+" radius", b.Radius, c.radius, 1e-15)
		near(t, c.name+" probability", b.Prob, c.prob, 1e-15)
		checkBound(t, c.name+" upper", b.Upper, c.upper)
		checkBound(t, c.name+" lower", b.Lower, c.lower)
		checkBound(t, c.name+" horizontal", b.Horizontal, c.horizontal)
	}
}

func checkBound(t *testing.T, name string, got, want Bound) {
	t.Helper()
	near(t, name+" distance", got.Distance, want.Distance, 1e-15)
	same := len(got.Partitions) == len(want.Partitions)
	for i := 0; same && i < len(want.Partitions); i++ {
		same = key(got.Partitions[i]) == key(want.Partitions[i])
	}
	if !same {
		t.Errorf("%s = %v, want %v", name, got.Partitions, want.Partitions)
	}
}

// The estimate need not be a sample: around {0|1|2} two samples of pairs lie at (2/3)·log 2.
func TestCredibleBallAwayFromSamples(t *testing.T) {
	b, err := LossVI.CredibleBall([]int32{0, 1, 2}, [][]int32{{0, 0, 1}, {0, 1, 1}}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "radius", b.Radius, 2*math.Ln2/3, 1e-15)
	if b.Prob != 1 || len(b.Upper.Partitions) != 2 || len(b.Lower.Partitions) != 2 {
		t.Errorf("ball = %+v", b)
	}
}

// 0.07·100 is 7.000000000000001 in floats: seven of a hundred samples are still enough for the level 0.07.
func TestCredibleBallLevelRounding(t *testing.T) {
	samples := append(slices.Repeat([][]int32{{0, 0}}, 7), slices.Repeat([][]int32{{0, 1}}, 93)...)
	b, err := LossVI.CredibleBall([]int32{0, 0}, samples, 0.07)
	if err != nil || b.Radius != 0 || b.Prob != 0.07 {
		t.Errorf("ball = %+v, %v, want radius 0 with 0.07", b, err)
	}
}

func TestCredibleBallErrors(t *testing.T) {
	two := []int32{0, 1}
	for _, level := range []float64{0, -1, 1.01, math.NaN()} {
		if _, err := LossVI.CredibleBall(two, [][]int32{two}, level); err == nil {
			t.Errorf("level %v accepted", level)
		}
	}
	if _, err := LossVI.CredibleBall(two, nil, 0.95); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no samples: %v", err)
	}
	if _, err := LossVI.CredibleBall(two, [][]int32{{0}}, 0.95); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("short sample: %v", err)
	}
}

// The samples of TestAssignmentsByHand. Point 2 has the row (½, ¼, ¼): entropy 1.5·log 2. VI shares over 4·5, from log
// a·b/m²: points 0 and 1: 3·2/2² in two samples; point 2: 3·3/1² and 3·1/1²; points 3 and 4: 2·3/2² in one.
func TestUncertaintyByHand(t *testing.T) {
	estimate := []int32{0, 0, 0, 1, 1}
	samples := [][]int32{{0, 0, 0, 1, 1}, {8, 8, 8, 3, 3}, {0, 0, 1, 1, 1}, {0, 0, 2, 1, 1}}
	first := PointUncertainty{0, 0, 2 * math.Log(1.5) / 20}
	last := PointUncertainty{0, 0, math.Log(1.5) / 20}
	want := []PointUncertainty{first, first, {0.5, 1.5 * math.Ln2, math.Log(27) / 20}, last, last}
	got, err := Uncertainty(estimate, samples)
	if err != nil || len(got) != len(want) {
		t.Fatal(got, err)
	}
	for i, u := range got {
		near(t, "elsewhere", u.Elsewhere, want[i].Elsewhere, 1e-15)
		near(t, "entropy", u.Entropy, want[i].Entropy, 1e-15)
		near(t, "VI", u.VI, want[i].VI, 1e-15)
		if math.Signbit(u.Entropy) {
			t.Errorf("entropy of point %d is −0", i)
		}
	}
	if _, err := Uncertainty(estimate, nil); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no samples: %v", err)
	}
}

// The points' shares sum to the expected VI.
func TestUncertaintySumsToExpectedVI(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	for range 30 {
		base := randomLabels(rng, 2+rng.IntN(40), 4)
		samples := noisySamples(rng, base, 1+rng.IntN(20), 5)
		sum := 0.0
		for _, u := range must[[]PointUncertainty](t)(Uncertainty(base, samples)) {
			sum += u.VI
		}
		near(t, "sum of shares", sum, must[float64](t)(ExpectedVI(base, samples)), 1e-12)
	}
}
