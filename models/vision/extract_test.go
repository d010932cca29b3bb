package vision

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// writePNG writes an image of one seed.
func writePNG(path string, seed int) {
	m := pattern(30+seed, 25+2*seed)
	img := image.NewNRGBA(image.Rect(0, 0, m.width, m.height))
	for i := range m.width * m.height {
		copy(img.Pix[4*i:], []uint8{m.pix[3*i] + uint8(40*seed), m.pix[3*i+1], m.pix[3*i+2], 255})
	}
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	f := must.M1(os.Create(path))
	must.M(png.Encode(f, img))
	must.M(f.Close())
}

// extraction is one of 2 classes with 3 and 2 images, in batches of 2.
func extraction(t *testing.T) *Extraction {
	t.Helper()
	root := t.TempDir()
	for i, name := range []string{"a/0.png", "a/1.png", "a/2.png", "b/0.png", "b/1.png"} {
		writePNG(filepath.Join(root, name), i)
	}
	return &Extraction{
		Network: must.M1(NewNetwork(goBackend(), small(), drawn(small(), 0))), Weights: "w", Folder: root,
		Classes: must.M1(ListClasses(root, "", 0)), Batch: 2, Parts: filepath.Join(t.TempDir(), "parts"),
	}
}

// relist lists the classes again, after their files have changed.
func (e *Extraction) relist() { e.Classes = must.M1(ListClasses(e.Folder, "", 0)) }

func run(t *testing.T, e *Extraction) (*data.Pool, *Summary) {
	t.Helper()
	return must.M2(e.Run(t.Context()))
}

// Each feature is that of its image alone, divided by its norm unless raw, with the label of its class.
func TestExtraction(t *testing.T) {
	e := extraction(t)
	var steps []int
	e.Progress = func(done, total int) { steps = append(steps, done, total) }
	pool, summary := run(t, e)
	if want := []int{2, 5, 3, 5, 5, 5}; !slices.Equal(steps, want) {
		t.Errorf("progress %v, want %v", steps, want)
	}
	if summary.Reused != 0 || len(summary.Skipped) != 0 || !slices.Equal(pool.Labels, []int32{0, 0, 0, 1, 1}) ||
		!slices.Equal(pool.Classes, []string{"a", "b"}) {
		t.Errorf("summary %+v, labels %v of %v", summary, pool.Labels, pool.Classes)
	}
	e.Raw = true
	raw, summary := run(t, e)
	if summary.Reused != 2 {
		t.Errorf("%d parts were used again, want 2", summary.Reused)
	}
	i := 0
	for _, c := range e.Classes {
		for _, path := range c.Images {
			want := must.M1(e.Network.Features(must.M1(ReadPicture(path, small().ImageSize)), 0))
			norm := 0.0
			for _, v := range want {
				norm += float64(v) * float64(v)
			}
			for j, v := range want {
				unit := float64(v) / math.Sqrt(norm)
				if math.Abs(float64(raw.Point(i)[j]-v)) > 1e-5 || math.Abs(float64(pool.Point(i)[j])-unit) > 1e-6 {
					t.Fatalf("%s: coordinate %d is %g raw, want %g, and %g of length 1, want %g",
						path, j, raw.Point(i)[j], v, pool.Point(i)[j], unit)
				}
			}
			i++
		}
	}
	must.M(e.Clean())
	if _, err := os.Stat(e.Parts); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of parts is still there: %v", err)
	}
}

// A run that was interrupted goes on with the classes that are not done, and ends as if it had not been.
func TestExtractionGoesOn(t *testing.T) {
	e := extraction(t)
	want, _ := run(t, e)
	must.M(e.Clean())

	ctx, stop := context.WithCancel(t.Context())
	e.Progress = func(done, _ int) {
		if done == 3 { // the first class is done
			stop()
		}
	}
	if _, _, err := e.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped run ended with %v", err)
	}
	var again []int
	e.Progress = func(done, _ int) { again = append(again, done) }
	pool, summary := run(t, e)
	if !slices.Equal(again, []int{3, 5}) || summary.Reused != 1 {
		t.Errorf("the second run reported %v and used %d parts again", again, summary.Reused)
	}
	if !slices.Equal(pool.X, want.X) || !slices.Equal(pool.Labels, want.Labels) {
		t.Error("an interrupted run gives other features")
	}
}

// Parts are used again for the same images only, and their folder for the same settings only.
func TestPartsBelongToTheirRun(t *testing.T) {
	e := extraction(t)
	run(t, e)
	writePNG(filepath.Join(e.Folder, "b", "2.png"), 9)
	e.relist()
	if pool, summary := run(t, e); summary.Reused != 1 || pool.Len() != 6 {
		t.Errorf("with a new image %d parts were used again for %d images", summary.Reused, pool.Len())
	}
	for name, change := range map[string]func(*Extraction){
		"weights": func(e *Extraction) { e.Weights = "other" },
		"images":  func(e *Extraction) { e.Folder = t.TempDir() },
	} {
		other := *e
		change(&other)
		_, _, err := other.Run(t.Context())
		wantUserError(t, err, e.Parts, "other weights")
		t.Log(name, err)
	}
	part := filepath.Join(e.Parts, "a.safetensors")
	must.M(os.WriteFile(part, []byte("cut"), 0o644))
	_, _, err := e.Run(t.Context())
	wantUserError(t, err, part)

	// Other people's files stay.
	touch(e.Parts, "thesis.txt")
	must.M(e.Clean())
	if entries := must.M1(os.ReadDir(e.Parts)); len(entries) != 1 || entries[0].Name() != "thesis.txt" {
		t.Errorf("of the parts and another file %v are left", entries)
	}
	_, _, err = e.Run(t.Context())
	wantUserError(t, err, e.Parts, "holds other files")
}

// A broken image stops the run and is named; or it is left out and counted, in its part too.
func TestBrokenImages(t *testing.T) {
	e := extraction(t)
	broken := filepath.Join(e.Folder, "a", "1.png")
	must.M(os.WriteFile(broken, []byte("no image"), 0o644))
	e.relist()
	_, _, err := e.Run(t.Context())
	wantUserError(t, err, broken, "--skip-broken")

	e.SkipBroken = true
	for reused := range 2 {
		pool, summary := run(t, e)
		if !slices.Equal(summary.Skipped, []string{broken}) || summary.Reused != 2*reused ||
			!slices.Equal(pool.Labels, []int32{0, 0, 1, 1}) {
			t.Errorf("summary %+v, labels %v", summary, pool.Labels)
		}
	}
	e.SkipBroken = false // the part without the image does not count any more
	_, _, err = e.Run(t.Context())
	wantUserError(t, err, broken)

	e.SkipBroken = true
	for i := range 5 {
		must.M(os.WriteFile(filepath.Join(e.Folder, []string{"a", "b"}[i/3], fmt.Sprint(i%3, ".png")), nil, 0o644))
	}
	e.relist()
	_, _, err = e.Run(t.Context())
	wantUserError(t, err, e.Folder, "none of the images")
}
