package xla

import (
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/vision"
)

// Features of photos: the vision transformer, a batch filled up to its room.
func TestFeatures(t *testing.T) {
	c := vision.Config{ImageSize: 12, Patch: 4, Width: 24, Depth: 2, Heads: 3, MLP: 20}
	ps := drawnWeights(c.Layout(), 8)
	images := points(15, 3*3*12*12, 1)
	got := must.M1(must.M1(vision.NewNetwork(plugin(t, ""), c, ps)).Features(images, 4))
	want := must.M1(must.M1(vision.NewNetwork(goBackend(), c, ps)).Features(images, 4))
	allNear(t, "features", got, want, 1e-4)
}

// The encoder of images, and decoding of sets of them.
func TestImageEncoder(t *testing.T) {
	c := small(models.DefaultImages())
	device, host := both(t, c)
	x := points(17, 5*models.ImageSide*models.ImageSide, 1)
	h, u := must.M2(device.Encode(x, 5))
	wantH, wantU := must.M2(host.Encode(x, 5))
	allNear(t, "h'", h, wantH, 1e-4)
	allNear(t, "u'", u, wantU, 1e-4)
}
