package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/train"
)

// shelves are the folders of weights below pretrained.
var shelves = []string{"embedded", "weights"}

// beside is what is generated from the weights, by path: a card for each model, and the listing of what is fetched.
func beside(pretrained string) map[string]string {
	found := map[string]string{}
	for _, shelf := range shelves {
		var sums strings.Builder
		for _, path := range must.M1(filepath.Glob(filepath.Join(pretrained, shelf, "*.safetensors"))) {
			found[strings.TrimSuffix(path, ".safetensors")+".md"] = card(must.M1(train.ReadModel(path)))
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(must.M1(os.ReadFile(path))), filepath.Base(path))
		}
		if shelf == "weights" {
			found[filepath.Join(pretrained, "SHA256SUMS")] = sums.String()
		}
	}
	return found
}

// writeBeside writes what is generated.
func writeBeside(pretrained string) {
	for path, content := range beside(pretrained) {
		must.M(atomicfile.WriteFile(path, []byte(content), atomicfile.DefaultPerm))
	}
}

// card is a model's card in Markdown, with the header that model hubs read.
func card(m *train.Model) string {
	var b strings.Builder
	c := m.Card
	b.WriteString("---\nlicense: mit\nlibrary_name: gfncp\n")
	fmt.Fprintf(&b, "tags: [clustering, amortized-inference, %s]\n---\n\n# %s\n\n",
		m.Config.Model, c.Name)
	fmt.Fprintf(&b, "%s network for %s, %d weights. `gfncp describe %s` prints its whole config.\n\n",
		strings.ToUpper(m.Config.Model), subject(m.Config), m.Params.Size(), c.Name)
	fmt.Fprintf(&b, "- trained: %d steps in %.0f s on %s (%s)\n", c.Steps, c.Seconds, c.Machine, c.Backend)
	fmt.Fprintf(&b, "- selected: %s (validation loss %.4g)\n", c.Selected, c.Loss)
	for _, note := range c.Notes {
		fmt.Fprintf(&b, "- note: %s\n", note)
	}
	b.WriteString("\n| held-out metric | value |\n| --- | ---: |\n")
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
		fmt.Fprintf(&b, "| %s | %.4g |\n", name, c.Metrics[name])
	}
	return b.String()
}

// subject says what a model clusters.
func subject(c train.Config) string {
	switch {
	case c.Data.IsImages():
		return "images (" + c.Data.Source + ")"
	case c.Data.IsTables():
		return "tables"
	}
	return "points in the plane"
}
