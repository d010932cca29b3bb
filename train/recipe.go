package train

import (
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
)

// The recipes by name.
const (
	// RecipePaper is what the paper's text says: the defaults.
	RecipePaper = "paper"
	// RecipePublished is what the authors' published code does (bea6d5a, 2025-02-23) where it differs from the text:
	// all points of a training cluster are augmented, in the code's way; exploration merges whole clusters, without
	// Reg; log-flows are clamped; K is from 3 to 10.
	RecipePublished = "published"
)

// PublishedEpsilon is the published code's clamp of log-flows.
const PublishedEpsilon = 1e-5

// The published code's bounds of K.
const (
	publishedMinK = 3
	publishedMaxK = 10
)

// WithRecipe returns the config with the keys that a recipe sets. Numbers of sets, points and steps, rates and the
// weights of the loss stay. A recipe that is not known, and one for a model without energies, is a *usererr.Error.
func (c Config) WithRecipe(name string) (Config, error) {
	switch {
	case name == RecipePaper:
		return c, nil
	case name != RecipePublished:
		return c, usererr.New(`choose "paper" or "published"`, "recipe %q is unknown", name)
	case !KindOf(c.Model).Energies():
		return c, usererr.New("use it with --model gfncp or ncp",
			"recipe %q has no settings for model %s", name, c.Model)
	}
	if c.Data.IsImages() {
		c.Data.AugmentBase = true
		o, published := &c.Data.Images, augment.PublishedImages()
		o.Wrap, o.NearestTurn = published.Wrap, published.NearestTurn
		o.WideBlur, o.RedrawBox = published.WideBlur, published.RedrawBox
	}
	c.Data.MinK, c.Data.MaxK = publishedMinK, publishedMaxK
	if c.Model == GFNCP {
		c.Loss.MCEpsilon, c.Loss.RegOnData, c.Loss.Explore = PublishedEpsilon, true, losses.MergeBlocks
	}
	return c, nil
}
