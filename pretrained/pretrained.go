// Package pretrained holds trained weights inside the binary, each with its model card: what it was trained on, for how
// long, and what it reaches.
package pretrained

import (
	"embed"
	"sort"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

//go:embed weights/*.safetensors
var weights embed.FS

const suffix = ".safetensors"

// Names lists the embedded models in alphabetical order.
func Names() []string {
	entries, _ := weights.ReadDir("weights") // the folder is embedded, so it can be read
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	sort.Strings(names)
	return names
}

// Has reports whether a model of that name is embedded.
func Has(name string) bool {
	_, err := weights.Open("weights/" + name + suffix)
	return err == nil
}

// Open decodes an embedded model.
func Open(name string) (*train.Model, error) {
	content, err := weights.ReadFile("weights/" + name + suffix)
	if err != nil {
		return nil, usererr.New("choose one of "+strings.Join(Names(), ", "), "no pretrained model is called %q", name)
	}
	m, err := train.DecodeModel("pretrained "+name, content)
	if err != nil {
		return nil, err
	}
	m.Card.Name = name
	return m, nil
}
