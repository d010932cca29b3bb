package models_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

func attentionConfig() models.Config {
	return models.Config{
		Encoder: models.EncoderMLP, Dim: 2, Hidden: 16, Embed: 4, Global: 4, Moments: true, Attention: 2,
	}
}

// attentionNet is a small network whose points see the others of their set by attention.
func attentionNet() *models.Network {
	c := attentionConfig()
	return must.M1(models.NewNetwork(enginetest.Go(), c, c.Init(rand.New(rand.NewPCG(1, 0)))))
}

// A point's embedding changes with where the others are, and less the farther they are: from a blob that is far away
// attention by distance sees nothing but that it is there.
func TestAttentionSeesTheOthers(t *testing.T) {
	net := attentionNet()
	rng := rand.New(rand.NewPCG(2, 0))
	own, other := blob(rng, 30, 0, 0), blob(rng, 30, 6, 0)
	alone, _ := must.M2(net.Encode(own, 30))
	both, _ := must.M2(net.Encode(slices.Concat(own, other), 60))
	change := 0.0
	for i, v := range alone[:16] {
		change = math.Max(change, math.Abs(float64(v-both[i])))
	}
	if change < 1e-3 {
		t.Errorf("a second blob changes a point's embedding by %g only", change)
	}
}

// Of a large set points see a sample, and know how many they are.
func TestAttentionSamplesLargeSets(t *testing.T) {
	if testing.Short() {
		t.Skip("two sets of 2,500 points")
	}
	const n = 2500
	net := attentionNet()
	x := blob(rand.New(rand.NewPCG(3, 0)), n, 0, 0)
	h, u := must.M2(net.Encode(x, n))
	someH, someU := must.M2(net.EncodeSome(x[:200], x))
	assertRowsClose(t, someH, h[:100*net.Config.Width()])
	assertRowsClose(t, someU, u[:100*net.Config.StateWidth()])
	few, _ := must.M2(net.Encode(x[:2048], 1024))
	if slices.Equal(few[:16], h[:16]) {
		t.Error("a set more than twice as large looks the same")
	}
}

func TestAttentionFaults(t *testing.T) {
	for _, test := range []struct {
		change func(c *models.Config)
		want   string
	}{
		{func(*models.Config) {}, ""},
		{func(c *models.Config) { c.Attention = 13 }, "net.attention = 13 is outside 0..12"},
		{func(c *models.Config) { c.Attention = -1 }, "net.attention = -1 is outside 0..12"},
		{func(c *models.Config) { c.Moments = false }, "net.attention needs net.moments"},
		{func(c *models.Config) { c.MeanShift = true }, "takes the place of net.mean_shift"},
		{func(c *models.Config) { c.Online = true }, "net.attention looks at the whole set"},
		{func(c *models.Config) { c.Hidden = 18 }, "net.hidden = 18 cannot be shared by 4 heads"},
	} {
		c := attentionConfig()
		test.change(&c)
		err := c.Validate()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", c, err, test.want)
		}
	}
}
