package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

func describe(ps models.Params) string {
	var lines []string
	for _, p := range ps {
		lines = append(lines, fmt.Sprint(p.Name, p.Shape))
	}
	return strings.Join(lines, " ")
}

// The layout is part of the file format: names, order and shapes are pinned.
func TestLayout(t *testing.T) {
	const h = "h.0.weight[3 16] h.0.bias[16] h.1.weight[16 16] h.1.bias[16] h.2.weight[16 16] h.2.bias[16] " +
		"h.3.weight[16 16] h.3.bias[16] h.4.weight[16 8] h.4.bias[8] "
	const rest = "g.0.weight[8 16] g.0.bias[16] g.1.weight[16 16] g.1.bias[16] g.2.weight[16 16] g.2.bias[16] " +
		"g.3.weight[16 16] g.3.bias[16] g.4.weight[16 16] g.4.bias[16] g.5.weight[16 24] g.5.bias[24] " +
		"f.0.weight[32 16] f.0.bias[16] f.1.weight[16 16] f.1.bias[16] f.2.weight[16 16] f.2.bias[16] " +
		"f.3.weight[16 16] f.3.bias[16] f.4.weight[16 16] f.4.bias[16] f.5.weight[16 1]"
	if got, want := describe(smallConfig(false).Layout()), h+strings.ReplaceAll(h, "h.", "u.")+rest; got != want {
		t.Errorf("layout:\n%s\nwant\n%s", got, want)
	}
	if got, want := describe(smallConfig(true).Layout()), h+rest; got != want {
		t.Errorf("online layout:\n%s\nwant\n%s", got, want)
	}
}

// fanIn is the input width of the layer that a weight or bias belongs to.
func fanIn(ps models.Params, name string) int {
	layer := name[:strings.LastIndexByte(name, '.')]
	for _, p := range ps {
		if p.Name == layer+".weight" {
			return p.Shape[0]
		}
	}
	return 0
}

// Init draws from U(−1/√in, 1/√in): inside the bounds, with that law's mean 0 and variance bound²/3, the same for the
// same generator state.
func TestInit(t *testing.T) {
	c := models.Config{Dim: 3, Hidden: 64, Embed: 32, Global: 48}
	ps := c.Init(rand.New(rand.NewPCG(5, 6)))
	must.M(c.Layout().Check(ps))
	for _, p := range ps {
		bound := 1 / math.Sqrt(float64(fanIn(ps, p.Name)))
		var sum, squares float64
		for _, v := range p.Data {
			if v == 0 || !(math.Abs(float64(v)) <= bound*(1+1e-6)) {
				t.Fatalf("%s holds %v, not drawn or outside ±%v", p.Name, v, bound)
			}
			sum += float64(v) / bound
			squares += float64(v) * float64(v) / bound / bound
		}
		n := float64(len(p.Data))
		// Standard deviations of a mean of n draws: of v/bound √(1/3n), of its square √((1/5−1/9)/n). Five of them.
		if !(math.Abs(sum/n) <= 5*math.Sqrt(1/(3*n))) || !(math.Abs(squares/n-1.0/3) <= 5*math.Sqrt((1.0/5-1.0/9)/n)) {
			t.Errorf("%s: mean %v, mean square %v in units of the bound, want 0 and 1/3", p.Name, sum/n, squares/n)
		}
	}
	if again := c.Init(rand.New(rand.NewPCG(5, 6))); !reflect.DeepEqual(ps, again) {
		t.Error("the same seed gave other weights")
	}
	if other := c.Init(rand.New(rand.NewPCG(5, 7))); reflect.DeepEqual(ps, other) {
		t.Error("another seed gave the same weights")
	}
}

func TestCheck(t *testing.T) {
	c := smallConfig(false)
	for _, test := range []struct {
		want  string
		spoil func(ps models.Params)
	}{
		{"42 weight tensors, but this model has 43", nil}, // the first is missing
		{
			"weight 0 is x [3 16] with 48 values, but this model has h.0.weight [3 16]",
			func(ps models.Params) { ps[0].Name = "x" },
		},
		{"weight 2 is h.2.weight", func(ps models.Params) { ps[2], ps[4] = ps[4], ps[2] }},
		{
			"weight 1 is h.0.bias [4 4] with 16 values, but this model has h.0.bias [16]",
			func(ps models.Params) { ps[1].Shape = []int{4, 4} },
		},
		{"h.0.bias [16] with 15 values", func(ps models.Params) { ps[1].Data = ps[1].Data[1:] }},
		{"weight f.5.weight holds NaN at position 3", func(ps models.Params) { ps[42].Data[3] = float32(math.NaN()) }},
		{"weight h.0.bias holds -Inf at position 0", func(ps models.Params) { ps[1].Data[0] = float32(math.Inf(-1)) }},
	} {
		ps := c.Init(rand.New(rand.NewPCG(1, 2)))
		if test.spoil != nil {
			test.spoil(ps)
		} else {
			ps = ps[1:]
		}
		if err := c.Layout().Check(ps); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
		if _, err := models.NewNetwork(enginetest.Go(), c, ps); err == nil ||
			!strings.Contains(err.Error(), "new network: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("NewNetwork: %v, want %q", err, test.want)
		}
	}
}

// Weights become tensors and come back bit for bit; no tensor shares memory with them.
func TestTensorsRoundTrip(t *testing.T) {
	c := smallConfig(false)
	ps, want := c.Init(rand.New(rand.NewPCG(3, 4))), c.Init(rand.New(rand.NewPCG(3, 4)))
	ts := ps.Tensors()
	ps[0].Data[0] = 99
	if got := must.M1(c.Layout().With(ts)); !reflect.DeepEqual(got, want) {
		t.Error("the weights changed on the way")
	}
}
