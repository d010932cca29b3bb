package train

import (
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
}

func TestUnknownRecipe(t *testing.T) {
	for name, model := range map[string]string{"mine": GFNCP, RecipePublished: DAC} {
		if _, err := Default(model).WithRecipe(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("recipe %s for %s gave %v", name, model, err)
		}
	}
}
