package data

import (
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

// imageFile is the default of a user's images.
func imageFile(path string) Config {
	c := Default(SourceFile)
	c.Path = path
	return c
}

func TestPoolConfigFaults(t *testing.T) {
	digits := func(edit func(*Config)) Config {
		c := Default(SourceMNIST)
		edit(&c)
		return c
	}
	file := func(edit func(*Config)) Config {
		c := DefaultVectors("v.npy", 3)
		edit(&c)
		return c
	}
	const sourcesText = `"mog", "tables", "mnist", "fmnist", "in50", "in100", "in200", "standin50", "standin100", ` +
		`"standin200" or "file"`
	const wantPath = `path is ""; set path to a folder of images or a file of images or vectors`
	for name, test := range map[string]struct {
		config Config
		want   []string
	}{
		"unknown source": {
			file(func(c *Config) { c.Source = "cifar" }), []string{`source is "cifar"; set source to ` + sourcesText},
		},
		"no source": {file(func(c *Config) { c.Source = "" }), []string{`source is ""; set source to ` + sourcesText}},
		"digits": {digits(func(c *Config) { c.Dim, c.Split, c.Images.Rotation = 2, "valid", 181 }), []string{
			"dim is 2; set dim to 784: images have 28×28 pixels", `split is "valid"; set split to "train" or "test"`,
			"rotation is 181; set rotation to degrees from 0 to 180",
		}},
		"no path of images": {imageFile(""), []string{wantPath}},
		"vectors": {file(func(c *Config) { c.Path, c.Factor, c.Vectors.Dropout = "", 0, 1 }), []string{
			wantPath, "factor is 0; set factor to a finite number above 0",
			"dropout is 1; set dropout to a probability of at least 0 and below 1",
		}},
	} {
		err := test.config.Validate()
		if err == nil || err.Error() != strings.Join(test.want, "\n") || !usererr.Is(err) {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, strings.Join(test.want, "\n"))
		}
	}
	// What no augmentation reads is not checked.
	if err := digits(func(c *Config) { c.Mode, c.Images.Rotation = ModeGenerative, 181 }).Validate(); err != nil {
		t.Error(err)
	}
}
