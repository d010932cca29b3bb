package train

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// The published recipe sets its keys alone, and gives a valid config that is written and read as it is.
func TestPublishedRecipe(t *testing.T) {
	c := must.M1(DefaultOn(GFNCP, data.SourceMNIST).WithRecipe(RecipePublished))
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	text := c.String()
	for _, line := range []string{
		"wrap = true", "nearest_turn = true", "wide_blur = true", "redraw_box = true", "augment_base = true",
		"min_k = 3", "max_k = 10", "reg_on_data = true", "explore = 'merge-blocks'",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the config has no line %s:\n%s", line, text)
		}
	}
	if again := must.M1(ParseConfig("config", []byte(text), DefaultOn(GFNCP, data.SourceMNIST))); again != c {
		t.Errorf("read again it is\n%s", again)
	}
	paper := DefaultOn(GFNCP, data.SourceMNIST)
	if must.M1(paper.WithRecipe(RecipePaper)) != paper {
		t.Error("the paper's recipe is not the default")
	}
	ncp := must.M1(DefaultOn(NCP, data.SourceMoG).WithRecipe(RecipePublished))
	if want := DefaultOn(NCP, data.SourceMoG); ncp.Loss != want.Loss || ncp.Data.Images != want.Data.Images {
		t.Errorf("NCP on mixtures got %s", ncp)
	}
	for name, model := range map[string]string{"mine": GFNCP, RecipePublished: DAC} {
		if _, err := Default(model).WithRecipe(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("recipe %s for %s gave %v", name, model, err)
		}
	}
}

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
