package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// imageDefault is the model that images are clustered with unless --model names another.
const imageDefault = "mnist-ncp"

// chooseModel sets --model for images if the user did not, and says what that model knows.
func chooseModel(c *cli.Context, in *files.Input) error {
	if !in.IsImages() || c.IsSet("model") {
		return nil
	}
	advice := fmt.Sprintf("train one on your images with gfncp train --data %s, and name its run with --model", in.Path)
	if !slices.Contains(root.Names(), imageDefault) {
		return usererr.File(in.Path, 0, advice, "holds images, and no model for images is built in")
	}
	in.Warnings = append(in.Warnings, fmt.Sprintf("model %s was trained on handwritten digits; if your images are something else, %s",
		imageDefault, advice))
	return c.Set("model", imageDefault)
}

// checkKind refuses images for a model of points. Points for a model of images are judged by their number of coordinates.
func checkKind(in *files.Input, m *root.Model) error {
	if in.IsImages() && !m.Config().Data.IsImages() {
		return usererr.File(in.Path, 0, "name a model that was trained on images with --model",
			"holds images of %d×%d pixels, but model %s takes points with %s", in.Height, in.Width, m.Card().Name,
			text.Count(m.Dim(), "coordinate"))
	}
	return nil
}
