package main

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models/vision"
)

// tinyVision is a network whose sizes follow from its weights.
var tinyVision = vision.Config{ImageSize: 16, Patch: 8, Width: 64, Depth: 1, Heads: 1, MLP: 16}

// writeTensors writes a safetensors file and returns its path.
func writeTensors(path string, all ...safetensors.Tensor) string {
	must.M(atomicfile.Write(path,
		func(w io.Writer) error { return safetensors.Encode(w, &safetensors.File{Tensors: all}) }))
	return path
}

// writeVision writes random weights of tinyVision.
func writeVision(path string) string {
	var all []safetensors.Tensor
	for _, p := range tinyVision.Layout().Init(data.Rand(1, "vision", 0)) {
		all = append(all, must.M1(safetensors.FromFloat32s(p.Name, p.Shape, p.Data)))
	}
	return writeTensors(path, all...)
}

// photos makes a folder of 2 classes with 3 images each, of different colours, and a file that is no image beside them.
func photos(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for i := range 6 {
		img := image.NewNRGBA(image.Rect(0, 0, 24+i, 20))
		for p := range len(img.Pix) / 4 {
			x, y := p%(24+i), p/(24+i)
			img.SetNRGBA(x, y, color.NRGBA{uint8(40 * i), uint8(11 * x), uint8(12 * y * (i % 3)), 255})
		}
		folder := filepath.Join(root, []string{"n01", "n02"}[i/3])
		must.M(os.MkdirAll(folder, 0o755))
		f := must.M1(os.Create(filepath.Join(folder, string(rune('a'+i))+".png")))
		must.M(png.Encode(f, img))
		must.M(f.Close())
	}
	must.M(os.WriteFile(filepath.Join(root, "README.txt"), []byte("photos"), 0o644))
	return root
}

// The command writes the features that the network has for each image, with the classes' labels, as files that Open
// reads.
func TestFeaturesDino(t *testing.T) {
	root, dir := photos(t), t.TempDir()
	weights := writeVision(filepath.Join(dir, "vit.safetensors"))
	list := filepath.Join(dir, "classes.txt")
	must.M(os.WriteFile(list, []byte("n02 second\nn01 first\n"), 0o644))
	read := must.M1(vision.ReadWeights(weights))
	network := must.M1(vision.NewNetwork(must.M1(must.M1(engine.Choose("go")).Open()), read.Config, read.Params))
	feature := func(name string) []float32 {
		return must.M1(network.Features(must.M1(vision.ReadPicture(filepath.Join(root, name), 16)), 0))
	}
	for _, test := range []struct {
		out     string
		args    []string
		images  []string
		classes []string
		raw     bool
	}{
		{
			"all.npz", nil,
			[]string{"n01/a.png", "n01/b.png", "n01/c.png", "n02/d.png", "n02/e.png", "n02/f.png"},
			[]string{"n01", "n02"},
			false,
		},
		{
			"some.safetensors",
			[]string{"--classes", list, "--limit", "2", "--raw", "--batch", "3"},
			[]string{"n02/d.png", "n02/e.png", "n01/a.png", "n01/b.png"},
			[]string{"n02", "n01"},
			true,
		},
	} {
		out := filepath.Join(dir, test.out)
		stdout, stderr, status := gfncp(
			append(
				[]string{"features", "dino", "--images", root, "--out", out, "--weights", weights, "--backend", "go"},
				test.args...,
			)...,
		)
		if status != exitDone || !strings.Contains(stdout, "features of 64 values, 2 classes") ||
			!strings.Contains(stderr, "ViT 64/8, 1 block") {
			t.Fatalf("%s: status %d: %s%s", test.out, status, stdout, stderr)
		}
		if _, err := os.Stat(out + ".parts"); err == nil {
			t.Error("the parts are still there")
		}
		pool := must.M1(files.Open(out, files.Options{}))
		if pool.Len() != len(test.images) || pool.D != 64 {
			t.Fatalf("%s holds %d vectors of %d", test.out, pool.Len(), pool.D)
		}
		for i, name := range test.images {
			want, scale := feature(name), 1.0
			if !test.raw {
				norm := 0.0
				for _, v := range want {
					norm += float64(v) * float64(v)
				}
				scale = 1 / math.Sqrt(norm)
			}
			for j, v := range pool.Point(i) {
				if math.Abs(float64(v)-float64(want[j])*scale) > 1e-5 {
					t.Fatalf("%s: coordinate %d of %s is %g, want %g", test.out, j, name, v, float64(want[j])*scale)
				}
			}
			if class := pool.Classes[pool.Labels[i]]; class != filepath.Dir(name) {
				t.Errorf("%s: %s is in class %s", test.out, name, class)
			}
		}
	}
}

// A broken image ends the command with its name; --skip-broken counts it. What was computed before is used again.
func TestFeaturesDinoBroken(t *testing.T) {
	root, dir := photos(t), t.TempDir()
	weights, out := writeVision(filepath.Join(dir, "vit.safetensors")), filepath.Join(dir, "f.npz")
	broken := filepath.Join(root, "n02", "e.png")
	must.M(os.WriteFile(broken, []byte("broken"), 0o644))
	args := []string{"features", "dino", "--images", root, "--out", out, "--weights", weights, "--backend", "go"}
	if _, stderr, status := gfncp(args...); status != exitUsage ||
		!strings.Contains(stderr, broken+": cannot be decoded") {
		t.Errorf("status %d: %s", status, stderr)
	}
	stdout, stderr, status := gfncp(append(args, "--skip-broken")...)
	if status != exitDone || !strings.Contains(stdout, "5 features") ||
		!strings.Contains(stdout, "1 broken images left out") ||
		!strings.Contains(stderr, broken) || !strings.Contains(stderr, "1 of 2 classes were there") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}

// Every fault of the user is one line that says what to do, before any work: nothing is left behind.
func TestFeaturesFaults(t *testing.T) {
	root, dir := photos(t), t.TempDir()
	t.Setenv(sources.DirEnv, filepath.Join(dir, "none"))
	weights := writeVision(filepath.Join(dir, "vit.safetensors"))
	other := writeTensors(filepath.Join(dir, "other.safetensors"))
	list := filepath.Join(dir, "classes.txt")
	must.M(os.WriteFile(list, []byte("n01\nn03\n"), 0o644))
	out := filepath.Join(dir, "f.npz")
	base := []string{"features", "dino", "--images", root, "--out", out}
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"features", "clip"}, []string{`unknown command "features clip"`}},
		{[]string{"features", "dino", "--out", out}, []string{"--images DIR and --out FILE are needed"}},
		{
			base,
			[]string{
				"vit_small_patch16_224.dino.safetensors", vision.PublishedURL,
				vision.PublishedPage, "--sha256", "--weights",
			},
		},
		{append(base, "--sha256", "12"), []string{`--sha256 "12" is no SHA-256`}},
		{append(base, "--weights", weights, "--sha256", "12"), []string{"leave one of them out"}},
		{append(base, "--weights", other), []string{other, "timm"}},
		{append(base, "--weights", weights, "--classes", list), []string{list + ":2", `"n03"`}},
		{append(base, "--weights", weights, "--batch", "0"), []string{"--batch 0"}},
		{append(base, "--weights", weights, "--limit", "-1"), []string{"--limit -1"}},
		{append(base, "--nonsense"), []string{"see gfncp features dino --help"}},
		{
			[]string{"features", "dino", "--images", root, "--out", filepath.Join(dir, "f.csv")},
			[]string{"f.csv", ".npz or .safetensors"},
		},
		{[]string{"features", "dino", "--images", root, "--out", filepath.Join(dir, "no", "f.npz")}, []string{"f.npz"}},
		{
			[]string{"features", "dino", "--images", filepath.Join(dir, "none"), "--out", out},
			[]string{"no such folder"},
		},
		{[]string{"features", "check"}, []string{"--dir DIR"}},
		{[]string{"features", "check", "--dir", dir}, []string{"weights.safetensors", "no such file"}},
	} {
		stdout, stderr, status := gfncp(test.args...)
		for _, want := range test.want {
			if status != exitUsage || stdout != "" || !strings.Contains(stderr, want) ||
				strings.Count(stderr, "\n") != 1 {
				t.Errorf("gfncp %q: status %d, stdout %q, stderr %q; want status 2 and one line with %q",
					test.args, status, stdout, stderr, want)
			}
		}
	}
	must.M(os.WriteFile(out, []byte("precious"), 0o644))
	if _, stderr, status := gfncp(append(base, "--weights", weights)...); status != exitUsage ||
		!strings.Contains(stderr, "exists already") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if string(must.M1(os.ReadFile(out))) != "precious" || len(must.M1(os.ReadDir(dir))) != 4 {
		t.Error("a refused command left or overwrote something")
	}
}

// features check accepts features that agree, and refuses with status 1 those that differ by more than the tolerance.
func TestFeaturesCheck(t *testing.T) {
	dir := t.TempDir()
	read := must.M1(vision.ReadWeights(writeVision(filepath.Join(dir, "weights.safetensors"))))
	network := must.M1(vision.NewNetwork(must.M1(must.M1(engine.Choose("go")).Open()), read.Config, read.Params))
	images := make([]float32, 2*3*16*16)
	rng := data.Rand(1, "images", 0)
	for i := range images {
		images[i] = float32(rng.NormFloat64())
	}
	features := must.M1(network.Features(images, 0))
	write := func() {
		writeTensors(filepath.Join(dir, "cases.safetensors"),
			must.M1(safetensors.FromFloat32s("images", []int{2, 3, 16, 16}, images)),
			must.M1(safetensors.FromFloat32s("features", []int{2, 64}, features)))
	}
	write()
	args := []string{"features", "check", "--dir", dir, "--backend", "go"}
	if stdout, stderr, status := gfncp(args...); status != exitDone ||
		!strings.Contains(stdout, "ViT 64/8") || !strings.Contains(stdout, ", ok") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	features[77] += 0.01
	write()
	if _, stderr, status := gfncp(args...); status != exitFailed || !strings.Contains(stderr, "differs by 0.01") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if _, stderr, status := gfncp(append(args, "--tolerance", "0.02")...); status != exitDone {
		t.Errorf("status %d: %s", status, stderr)
	}
}
