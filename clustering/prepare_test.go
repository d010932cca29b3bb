package clustering

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

// tinyImageNet is a small untrained network for images.
var tinyImageNet = sync.OnceValue(func() *models.Network {
	c := models.Config{Encoder: models.EncoderConv, Dim: 784, Hidden: 8, Embed: 4, Global: 8}
	return must.M1(models.NewNetwork(enginetest.Go(), c, c.Init(rand.New(rand.NewPCG(4, 0)))))
})

// knownImages is the range that the tests pretend the image network was trained on.
func knownImages() data.Config {
	c := data.Default(data.SourceMNIST)
	c.NMin, c.NMax, c.AlphaMin, c.AlphaMax = 5, 60, 0.7, 2
	return c
}

// knownVectors is the range of a network that was trained on a user's vectors.
func knownVectors() data.Config {
	c := data.DefaultVectors("/nowhere/points.csv", 2)
	c.NMin, c.NMax, c.Factor = 10, 60, 0.25
	return c
}

// squares returns n images of a bright square on black, in one of three places each.
func squares(n int) []float32 {
	x := make([]float32, n*784)
	for i := range n {
		corner := 3 + 7*(i%3)
		for row := corner; row < corner+6; row++ {
			for column := corner; column < corner+6; column++ {
				x[i*784+row*28+column] = 0.5 + 0.5*float32(i)/float32(n)
			}
		}
	}
	return x
}

// Pixels p become 2p − 1 and nothing else: black is −1, 0.75 is 0.5.
func TestImagesAreNotCentred(t *testing.T) {
	x := squares(12)
	x[3*28+3] = 0.75
	for _, scale := range []float64{0, 1} {
		p := must.M1(input{tinyImageNet(), knownImages(), x, 12, 784}.prepare(scale))
		if p.x[0] != -1 || p.x[3*28+3] != 0.5 || len(p.center) != 0 || p.center == nil || p.factor != 1 {
			t.Errorf("%v: pixels %v and %v, center %v, factor %v", scale, p.x[0], p.x[3*28+3], p.center, p.factor)
		}
		if len(p.warnings) != 0 || x[0] != 0 {
			t.Errorf("%v: warnings %q, input changed to %v", scale, p.warnings, x[0])
		}
	}
}

func TestWarningsOfOtherPoints(t *testing.T) {
	x := squares(4)
	for i, v := range x {
		x[i] = 1 - v
	}
	narrow := knownImages()
	narrow.MinK, narrow.MaxK = 200, 300 // no clustering of 4 images reaches it
	r := must.M1(Cluster(t.Context(), tinyImageNet(), narrow, x, 4, 784, testOptions()))
	if !hasWarning(r.Warnings, "there are 4 images", "sets of 5 to 60") ||
		!hasWarning(r.Warnings, "inverted", "mean 1.00") ||
		!hasWarning(r.Warnings, "the images were put into", "sets of 200 to 300") {
		t.Errorf("warnings %q", r.Warnings)
	}
	for i := range x { // halfway is not bright yet
		x[i] = 0.5
	}
	r = must.M1(Cluster(t.Context(), tinyImageNet(), narrow, x, 4, 784, testOptions()))
	if hasWarning(r.Warnings, "inverted") {
		t.Errorf("warnings %q of grey borders", r.Warnings)
	}
	r = must.M1(Cluster(t.Context(), tinyNet(), knownVectors(), make([]float32, 10), 5, 2, testOptions()))
	if !hasWarning(r.Warnings, "there are 5 points", "sets of 10 to 60") ||
		!hasWarning(r.Warnings, "all 5 points are equal") {
		t.Errorf("warnings %q of vectors", r.Warnings)
	}
}

// Medians of (1,10), (3,20), (8,60) are (3,20); 0 is the factor of the training, 1/4.
func TestVectorsTakeTheTrainingFactor(t *testing.T) {
	x := []float32{1, 10, 3, 20, 8, 60}
	known := knownVectors()
	known.NMin = 2
	for _, c := range []struct {
		scale  float64
		factor float64
	}{{0, 0.25}, {1, 1}, {3, 3}} {
		p := must.M1(input{tinyNet(), known, x, 3, 2}.prepare(c.scale))
		f := float32(c.factor)
		if want := []float32{-2 * f, -10 * f, 0, 0, 5 * f, 40 * f}; !slices.Equal(p.x, want) || p.factor != c.factor {
			t.Errorf("%v: points %v with factor %g, want %v", c.scale, p.x, p.factor, want)
		}
		if !slices.Equal(p.center, []float32{3, 20}) || len(p.warnings) != 0 {
			t.Errorf("%v: center %v, warnings %q", c.scale, p.center, p.warnings)
		}
	}
}
