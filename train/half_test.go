package train

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// A model in half precision takes half the room, is read as it was written, and stays in half precision; one with a
// weight that has no such number is left as it is.
func TestHalve(t *testing.T) {
	c := DefaultOn(GFNCP, data.SourceMoG)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 64, 64, 64
	full := &Model{Config: c, Params: c.Net.Init(data.Rand(1, "init", 0))}
	half := *full
	must.M(half.Halve())
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "full.safetensors"), filepath.Join(dir, "half.safetensors")}
	must.M(WriteModel(paths[0], full))
	must.M(WriteModel(paths[1], &half))
	if a, b := must.M1(os.Stat(paths[0])).Size(), must.M1(os.Stat(paths[1])).Size(); float64(b) > 0.6*float64(a) {
		t.Errorf("%d bytes in half precision, %d without", b, a)
	}
	read := must.M1(ReadModel(paths[1]))
	if !read.Half || must.M1(ReadModel(paths[0])).Half {
		t.Error("the files do not say which is in half precision")
	}
	for i, p := range read.Params {
		if !slices.Equal(p.Data, half.Params[i].Data) {
			t.Errorf("%s is not what was written", p.Name)
		}
		for j, v := range full.Params[i].Data {
			if math.Abs(float64(p.Data[j]-v)) > math.Abs(float64(v))/2048+0x1p-25 {
				t.Fatalf("%s: %v became %v", p.Name, v, p.Data[j])
			}
		}
	}
	full.Params[0].Data[0] = 1e6
	before := slices.Clone(full.Params[1].Data)
	if err := full.Halve(); err == nil || full.Half || !slices.Equal(before, full.Params[1].Data) {
		t.Errorf("a weight of 1e6: %v, half %v", err, full.Half)
	}
}
