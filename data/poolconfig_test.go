package data

import (
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

const (
	imagesText = "dim=784 batch=64 n_min=100 n_max=1000 alpha_min=1 alpha_max=1 fixed_k=0 min_k=2 max_k=0 " +
		"mode=instance stream=train augment_base=false neighbors=0 images scale_min=0.7 scale_max=1 ratio_min=0.75 " +
		"ratio_max=1.333 rotation=30 jitter_prob=0.8 jitter=0.4 blur_prob=0.1 blur_min=0.1 blur_max=2"
	vectorsText = "file path=v.npy dim=3 batch=64 n_min=100 n_max=1000 alpha_min=1 alpha_max=1 fixed_k=0 min_k=2 " +
		"max_k=0 mode="
)

// imageFile is the default of a user's images.
func imageFile(path string) Config {
	c := Default(SourceFile)
	c.Path = path
	return c
}

// TestDefaultPools pins the printed defaults. A setting that only augmentations read is not printed without them; the
// factor of vectors always is, since it acts in every mode.
func TestDefaultPools(t *testing.T) {
	classes := DefaultVectors("v.npy", 3)
	classes.Mode = ModeGenerative
	digits := Default(SourceMNIST)
	digits.Mode = ModeGenerative
	plain, _, _ := strings.Cut(imagesText, " augment_base")
	for _, c := range []struct {
		config Config
		want   string
		images bool
	}{
		{Default(SourceMNIST), "mnist split=train " + imagesText, true},
		{Default(SourceFashion), "fmnist split=train " + imagesText, true},
		{imageFile("pictures"), "file path=pictures " + imagesText, true},
		{digits, "mnist split=train " + strings.Replace(plain, "instance", "generative", 1), true},
		{
			DefaultVectors("v.npy", 3), vectorsText +
				"instance stream=train factor=1 augment_base=false neighbors=0 vectors noise=0.05 dropout=0.2",
			false,
		},
		{classes, vectorsText + "generative stream=train factor=1", false},
	} {
		if got := c.config.String(); got != c.want {
			t.Errorf("got\n%s, want\n%s", got, c.want)
		}
		if err := c.config.Validate(); err != nil || c.config.IsImages() != c.images {
			t.Errorf("%s: %v, images %v", c.want, err, c.config.IsImages())
		}
	}
	if c := DefaultMoG(); c.IsImages() {
		t.Error("a mixture counts as images")
	}
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
