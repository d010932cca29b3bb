package vision

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/safetensors"
)

// comparison writes the files of a comparison whose features are the float64 reference's.
func comparison(folder string, images int) (features []float32, write func(values []float32, shape ...int)) {
	c := fileConfig()
	ps := drawn(c, 3)
	ref := newReference(c, ps)
	writeTensors(filepath.Join(folder, "weights.safetensors"), nil, tensorsOf(ps)...)
	x := normals(rand.New(rand.NewPCG(3, 1)), images*c.pixels(), 0, 1)
	for b := range images {
		for _, v := range ref.feature(x[b*c.pixels() : (b+1)*c.pixels()]) {
			features = append(features, float32(v))
		}
	}
	cases := must.M1(safetensors.FromFloat32s("images", []int{images, 3, c.ImageSize, c.ImageSize}, x))
	return features, func(values []float32, shape ...int) {
		writeTensors(filepath.Join(folder, "cases.safetensors"), map[string]string{"source": "reference"},
			cases, must.M1(safetensors.FromFloat32s("features", shape, values)))
	}
}

// The comparison finds the reference's features equal, and a single coordinate that is off by as much as it is.
func TestCompare(t *testing.T) {
	folder := t.TempDir()
	features, write := comparison(folder, 2)
	write(features, 2, 128)
	got := must.M1(Compare(goBackend(), folder))
	if got.Config != fileConfig() || got.Source != "reference" || got.Images != 2 ||
		got.Largest > 1e-5 || got.Size < 1 {
		t.Errorf("%+v", got)
	}
	features[200] += 0.5
	write(features, 2, 128)
	if got := must.M1(Compare(goBackend(), folder)); got.Largest < 0.49 || got.Largest > 0.51 {
		t.Errorf("a coordinate that is off by 0.5 counts %g", got.Largest)
	}
}

func TestCompareFaults(t *testing.T) {
	folder := t.TempDir()
	_, err := Compare(goBackend(), folder)
	wantUserError(t, err, "weights.safetensors", "no such file")
	features, write := comparison(folder, 2)
	_, err = Compare(goBackend(), folder)
	wantUserError(t, err, "cases.safetensors", "no such file")
	write(features[:128], 1, 128)
	_, err = Compare(goBackend(), folder)
	wantUserError(t, err, "cases.safetensors", "vit_timm.py", "[1 128]")
}
