package data

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/pelletier/go-toml/v2"

	"github.com/gfncp/gfncp/internal/usererr"
)

// TestDefaultMoG pins the printed defaults, so that a change of them shows in review.
func TestDefaultMoG(t *testing.T) {
	const want = "mog dim=2 sigma_mu=10 sigma_x=1 batch=64 n_min=100 n_max=1000 alpha_min=6 alpha_max=6 " +
		"fixed_k=0 min_k=2 max_k=0 mode=generative stream=train"
	c := DefaultMoG()
	if got := c.String(); got != want {
		t.Errorf("defaults\n%s, want\n%s", got, want)
	}
}

// TestConfigTOML checks that every field survives a configuration file.
func TestConfigTOML(t *testing.T) {
	c := Config{
		Source: SourceMoG, Dim: 3, SigmaMu: 4.5, SigmaX: 0.5, Batch: 6, NMin: 7, NMax: 8, AlphaMin: 0.25, AlphaMax: 9.5,
		FixedK: 1, MinK: 3, MaxK: 5, Mode: ModeInstance, Stream: "test",
	}
	text := must.M1(toml.Marshal(c))
	var back Config
	if err := toml.Unmarshal(text, &back); err != nil || back != c {
		t.Errorf("came back as %+v, error %v", back, err)
	}
}

func TestConfigFaults(t *testing.T) {
	cases := []struct {
		name string
		edit func(*Config)
		want []string
	}{
		{"zero value", func(c *Config) { *c = Config{Source: SourceMoG} }, []string{
			"dim is 0; set dim to at least 1",
			"sigma_x is 0; set sigma_x to a number above 0, at most 1e+12",
			"batch is 0; set batch to 1 to 1000000",
			"n_min is 0; set n_min to at least 1",
			`mode is ""; set mode to "generative" or "instance"`,
			`stream is ""; set stream to a name without spaces, such as "train", "valid" or "test"`,
			"alpha_min is 0; set alpha_min to a finite number above 0",
			"min_k is 0; set min_k to at least 1",
		}},
		{"bounds crossed", func(c *Config) {
			c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.MinK, c.MaxK, c.SigmaMu = 5, 4, 3, 2, 6, 3, -1
		}, []string{
			"sigma_mu is -1; set sigma_mu to 0 to 1e+12",
			"n_max is 4; set n_max to n_min = 5 to 1000000",
			"alpha_max is 2; set alpha_max to a finite number of at least alpha_min = 3",
			"min_k is 6; set min_k to at most n_min = 5",
			"max_k is 3; set max_k to 0 (no bound) or at least min_k = 6",
		}},
		{"not finite", func(c *Config) {
			c.SigmaMu, c.SigmaX, c.AlphaMax = math.NaN(), math.Inf(1), math.Inf(1)
		}, []string{
			"sigma_mu is NaN; set sigma_mu to 0 to 1e+12",
			"sigma_x is +Inf; set sigma_x to a number above 0, at most 1e+12",
			"alpha_max is +Inf; set alpha_max to a finite number of at least alpha_min = 6",
		}},
		{"fixed K", func(c *Config) { c.FixedK, c.AlphaMin = 101, -1 }, []string{
			"fixed_k is 101; set fixed_k to at most n_min = 100",
		}},
		{"negative K", func(c *Config) { c.FixedK = -1 }, []string{
			"fixed_k is -1; set fixed_k to at least 0 (0 leaves K free)",
		}},
		// P(2 ≤ K ≤ 6) = Σ_{k=2..6} 6^k·s(1000,k) / (6·7·…·1005) = 9.4e-10, in exact integers (Python 3).
		{"rejection without end", func(c *Config) { c.MaxK = 6 }, []string{
			"min_k = 2 and max_k = 6 hold only 9.4e-10 of the partitions of 1000 points at alpha 6, below 0.01; " +
				"widen them, change alpha_min and alpha_max, or set fixed_k",
		}},
	}
	for _, c := range cases {
		config := DefaultMoG()
		c.edit(&config)
		err := config.Validate()
		if err == nil || err.Error() != strings.Join(c.want, "\n") || !usererr.Is(err) {
			t.Errorf("%s: got\n%v\nwant\n%s", c.name, err, strings.Join(c.want, "\n"))
		}
		if m, err := NewMoG(config); m != nil || err == nil {
			t.Errorf("%s: NewMoG gives %v, %v", c.name, m, err)
		}
	}
}

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
		"digits": {digits(func(c *Config) { c.Dim, c.Split, c.Images.Rotation = 2, "half", 181 }), []string{
			"dim is 2; set dim to 784: images have 28×28 pixels",
			`split is "half"; set split to "train", "test" or "valid"`,
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
