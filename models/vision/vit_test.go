package vision

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"
)

// small has sizes of which no two are equal, so that no axis can be mistaken for another.
func small() Config {
	return Config{ImageSize: 12, Patch: 4, Width: 24, Depth: 2, Heads: 3, MLP: 20}
}

const smallImages = 5

// smallProblem draws weights and images [B,3,S,S]. Every third seed's tokens are so small in the beginning that the
// first norm's epsilon counts.
func smallProblem(seed uint64) (network *Network, ref reference, images []float32) {
	c := small()
	ps := drawn(c, seed)
	if seed%3 == 2 {
		for _, p := range ps[:4] {
			for i := range p.Data {
				p.Data[i] *= 1e-3
			}
		}
	}
	images = normals(rand.New(rand.NewPCG(seed, 1)), smallImages*c.pixels(), 0, 1)
	return must.M1(NewNetwork(goBackend(), c, ps)), newReference(c, ps), images
}

// referenceBound is the largest accepted absolute difference to the float64 reference; measured: 9.1e-7.
const referenceBound = 1e-5

func assertReference(t *testing.T, seed uint64) {
	t.Helper()
	network, ref, images := smallProblem(seed)
	got := must.M1(network.Features(images, 0))
	if len(got) != smallImages*ref.Width {
		t.Fatalf("%d values, want %d", len(got), smallImages*ref.Width)
	}
	worst, size := 0.0, 0.0
	for b := range smallImages {
		for i, want := range ref.feature(images[b*ref.pixels() : (b+1)*ref.pixels()]) {
			v := float64(got[b*ref.Width+i])
			worst, size = max(worst, math.Abs(v-want)), max(size, math.Abs(want))
			if !(math.Abs(v-want) <= referenceBound) { // written so that NaN fails
				t.Fatalf("image %d, coordinate %d: %g, want %g", b, i, v, want)
			}
		}
	}
	t.Logf("largest difference %.2g among values up to %.2g", worst, size)
}

// The graph equals the network written out in float64 loops.
func TestFeaturesEqualReference(t *testing.T) {
	for seed := range uint64(3) {
		assertReference(t, seed)
	}
}

// On a backend without fused operations GoMLX's decomposed ones are used: its switch stands for such a backend.
func TestFeaturesWithoutFusedOperations(t *testing.T) {
	t.Setenv("GOMLX_FUSION", "0")
	assertReference(t, 1)
}

// An image's feature does not depend on the images beside it, and follows them when they are permuted.
func TestImagesAreIndependent(t *testing.T) {
	network, ref, images := smallProblem(4)
	all := must.M1(network.Features(images, 0))
	for b := range smallImages {
		alone := must.M1(network.Features(images[b*ref.pixels():(b+1)*ref.pixels()], 0))
		for i, v := range alone {
			if d := math.Abs(float64(v - all[b*ref.Width+i])); !(d <= 1e-5) {
				t.Fatalf("image %d alone has %g at %d, in the batch %g", b, v, i, all[b*ref.Width+i])
			}
		}
	}
	if slices.Equal(all[:ref.Width], all[ref.Width:2*ref.Width]) {
		t.Error("two different images have one feature")
	}
}

// renamed is the Go backend under another name, to which what is done for the Go backend alone does not apply.
type renamed struct{ compute.Backend }

// Name implements compute.Backend.
func (renamed) Name() string { return "another backend" }

// On a backend that compiles for seconds a small batch is filled up, so that one shape does for all, and the images'
// features are the same.
func TestSmallBatchesAreFilledUp(t *testing.T) {
	c, ps := small(), drawn(small(), 1)
	_, ref, images := smallProblem(1)
	network := must.M1(NewNetwork(renamed{goBackend()}, c, ps))
	kept := slices.Clone(images)
	for _, room := range []int{0, smallImages, smallImages + 3} {
		got := must.M1(network.Features(images, room))
		if len(got) != smallImages*c.Width || !slices.Equal(images, kept) {
			t.Fatalf("%d values, or the images were changed", len(got))
		}
		for b := range smallImages {
			for i, want := range ref.feature(images[b*c.pixels() : (b+1)*c.pixels()]) {
				if v := float64(got[b*c.Width+i]); !(math.Abs(v-want) <= referenceBound) {
					t.Fatalf("room for %d: image %d, coordinate %d: %g, want %g", room, b, i, v, want)
				}
			}
		}
	}
	for images := range 2 {
		if shape := network.rowsFor(images+1, 4); shape != 4 {
			t.Errorf("%d images run as a batch of %d, want 4", images+1, shape)
		}
	}
	if rows := must.M1(NewNetwork(goBackend(), c, ps)).rowsFor(1, 4); rows != 1 {
		t.Errorf("on the Go backend one image runs as %d", rows)
	}
}

func TestFeaturesRefusesPartsOfImages(t *testing.T) {
	network, _, images := smallProblem(5)
	for _, n := range []int{0, len(images) - 1} {
		if _, err := network.Features(images[:n], 0); err == nil {
			t.Errorf("%d values were taken", n)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := small16().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Config){
		"half a patch": func(c *Config) { c.ImageSize++ },
		"half a head":  func(c *Config) { c.Heads = 5 },
		"no block":     func(c *Config) { c.Depth = 0 },
	} {
		c := small()
		change(&c)
		if _, err := NewNetwork(goBackend(), c, drawn(small(), 0)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// small16 is ViT-S/16 for images of 224×224 pixels, the network of timm's vit_small_patch16_224.dino.
func small16() Config {
	return Config{ImageSize: 224, Patch: 16, Width: 384, Depth: 12, Heads: 6, MLP: 1536}
}

// ViT-S/16 without a classifier has 21,665,664 weights (timm's table of models: 21.67 M parameters).
func TestSmall16Size(t *testing.T) {
	total := 0
	for _, p := range small16().Layout() {
		size := 1
		for _, d := range p.Shape {
			size *= d
		}
		total += size
	}
	if total != 21_665_664 {
		t.Errorf("%d weights, want 21,665,664", total)
	}
}

// BenchmarkSmall16 is one image through ViT-S/16 with random weights.
func BenchmarkSmall16(b *testing.B) {
	c := small16()
	network := must.M1(NewNetwork(goBackend(), c, drawn(c, 0)))
	images := normals(rand.New(rand.NewPCG(1, 1)), c.pixels(), 0, 1)
	for b.Loop() {
		features := must.M1(network.Features(images, 0))
		if math.IsNaN(float64(features[0])) {
			b.Fatal("a feature is not a number")
		}
	}
}
