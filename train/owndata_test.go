package train_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// line is a pool of the points 0, 1, 2 … n−1 on a line.
func line(n int) *data.Pool {
	pool := &data.Pool{Name: "line.csv", D: 1}
	for i := range n {
		pool.X = append(pool.X, float32(i))
	}
	return pool
}

// For 0..10 the median is 5 and the mean square 2·(1+4+9+16+25)/11 = 10. 5 % of 11 points rounds to the nearest
// neighbour, which is at distance 1 everywhere: noise = 0.7/√2 · 1/√10.
func TestOwnVectorsByHand(t *testing.T) {
	t.Parallel()
	c := must.M1(train.OwnData(train.NCP, line(11), "/data/line.csv"))
	if want := 1 / math.Sqrt(10); !(math.Abs(c.Data.Factor-want) <= 1e-12) {
		t.Errorf("factor %g, want %g", c.Data.Factor, want)
	}
	if want := 0.7 / math.Sqrt(20); !(math.Abs(c.Data.Vectors.Noise-want) <= 1e-12) || c.Data.Vectors.Dropout != 0 {
		t.Errorf("noise %g, dropout %g, want %g and 0", c.Data.Vectors.Noise, c.Data.Vectors.Dropout, want)
	}
	if c.Data.Source != data.SourceFile || c.Data.Path != "/data/line.csv" ||
		c.Data.Dim != 1 || c.Data.IsImages() || c.Data.Mode != data.ModeInstance {
		t.Errorf("data %v", c.Data)
	}
}

// Repeated points do not bring the noise to 0, and units do not matter after the factor.
func TestOwnNoiseLaws(t *testing.T) {
	t.Parallel()
	pool := line(11)
	once := must.M1(train.OwnData(train.NCP, pool, "p"))
	pool.X = append(slices.Repeat([]float32{0}, 40), pool.X...)
	again := must.M1(train.OwnData(train.NCP, pool, "p"))
	noise := func(c train.Config) float64 { return c.Data.Vectors.Noise / c.Data.Factor }
	if !(math.Abs(noise(again)-noise(once)) <= 1e-12) {
		t.Errorf("41 copies of one point change the noise from %g to %g", noise(once), noise(again))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	a, b := &data.Pool{Name: "a", D: 3}, &data.Pool{Name: "b", D: 3}
	for range 3 * 1500 { // more points than are measured
		v := float32(rng.NormFloat64())
		a.X, b.X = append(a.X, v), append(b.X, 1024*v)
	}
	ca, cb := must.M1(train.OwnData(train.NCP, a, "p")), must.M1(train.OwnData(train.NCP, b, "p"))
	if !(math.Abs(ca.Data.Factor/cb.Data.Factor-1024) <= 1e-6) ||
		!(math.Abs(ca.Data.Vectors.Noise-cb.Data.Vectors.Noise) <= 1e-9) {
		t.Errorf("factors %g and %g, noise %g and %g", ca.Data.Factor,
			cb.Data.Factor, ca.Data.Vectors.Noise, cb.Data.Vectors.Noise)
	}
}

func blots(n int) *data.Pool {
	rng := rand.New(rand.NewPCG(3, 4))
	pool := &data.Pool{Name: "blots", D: 784, Height: 28, Width: 28, X: make([]float32, n*784)}
	for i := range pool.X {
		pool.X[i] = rng.Float32()
	}
	return pool
}

// Both kinds are valid as they are, survive a config file, and have the loop that two cores can do.
func TestOwnDataIsComplete(t *testing.T) {
	t.Parallel()
	for _, pool := range []*data.Pool{line(30), blots(12)} {
		for model, want := range map[string][3]float64{train.NCP: {1500, 0, 0}, train.GFNCP: {1800, 1000, 1}} {
			c := must.M1(train.OwnData(model, pool, "/data/"+pool.Name))
			if err := c.Validate(); err != nil {
				t.Errorf("%s on %s: %v", model, pool.Name, err)
			}
			if again := must.M1(train.ParseConfig("config.toml", []byte(c.String()), train.Config{})); again != c {
				t.Errorf("%s on %s: read back as\n%s", model, pool.Name, again)
			}
			images := pool.Height > 0
			if c.Data.IsImages() != images || (c.Net.Encoder == models.EncoderConv) != images ||
				images && c.Data.Images != augment.DefaultImages() || c.Data.Path != "/data/"+pool.Name {
				t.Errorf("%s on %s: data %v, net %v", model, pool.Name, c.Data, c.Net)
			}
			got := [3]float64{float64(c.Train.Steps), float64(c.Train.WarmupSteps), c.Loss.NLLWeight}
			if got != want || c.Data.Batch != 16 || c.Data.NMin != 20 ||
				c.Data.NMax != 120 || c.Data.AlphaMin != 0.7 || c.Data.AlphaMax != 2 {
				t.Errorf("%s on %s: steps, warm-up, likelihood %v, want %v; data %v",
					model, pool.Name, got, want, c.Data)
			}
		}
	}
}

func TestOwnDataFaults(t *testing.T) {
	t.Parallel()
	constant := line(20)
	for i := range constant.X {
		constant.X[i] = 7
	}
	nan := line(20)
	nan.D, nan.X[7] = 2, float32(math.NaN())
	nan.X = append(nan.X, nan.X...)
	for want, pool := range map[string]*data.Pool{
		"9 points are too few": line(9), "all 20 points are equal": constant, "coordinate 2 of point 4 is NaN": nan,
	} {
		_, err := train.OwnData(train.NCP, pool, "p")
		if !usererr.Is(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line.csv") {
			t.Errorf("error %v, want a fault of line.csv with %q", err, want)
		}
	}
}
