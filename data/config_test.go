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

// faultCase is a config with faults, and what Validate says of it, a line each.
type faultCase struct {
	config Config
	want   []string
}

// edited is a config with faults.
func edited(c Config, edit func(*Config), want ...string) faultCase {
	edit(&c)
	return faultCase{c, want}
}

func TestConfigFaults(t *testing.T) {
	mog, digits, file := DefaultMoG(), Default(SourceMNIST), DefaultVectors("v.npy", 3)
	const sourcesText = `"mog", "tables", "mnist", "fmnist", "in50", "in100", "in200", "standin50", "standin100", ` +
		`"standin200" or "file"`
	const wantPath = `path is ""; set path to a folder of images or a file of images or vectors`
	for name, test := range map[string]faultCase{
		"zero value": edited(mog, func(c *Config) { *c = Config{Source: SourceMoG} },
			"dim is 0; set dim to at least 1",
			"sigma_x is 0; set sigma_x to a number above 0, at most 1e+12",
			"batch is 0; set batch to 1 to 1000000",
			"n_min is 0; set n_min to at least 1",
			`mode is ""; set mode to "generative" or "instance"`,
			`stream is ""; set stream to a name without spaces, such as "train", "valid" or "test"`,
			"alpha_min is 0; set alpha_min to a finite number above 0",
			"min_k is 0; set min_k to at least 1"),
		"bounds crossed": edited(mog, func(c *Config) {
			c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.MinK, c.MaxK, c.SigmaMu = 5, 4, 3, 2, 6, 3, -1
		},
			"sigma_mu is -1; set sigma_mu to 0 to 1e+12",
			"n_max is 4; set n_max to n_min = 5 to 1000000",
			"alpha_max is 2; set alpha_max to a finite number of at least alpha_min = 3",
			"min_k is 6; set min_k to at most n_min = 5",
			"max_k is 3; set max_k to 0 (no bound) or at least min_k = 6"),
		"not finite": edited(mog, func(c *Config) {
			c.SigmaMu, c.SigmaX, c.AlphaMax = math.NaN(), math.Inf(1), math.Inf(1)
		},
			"sigma_mu is NaN; set sigma_mu to 0 to 1e+12",
			"sigma_x is +Inf; set sigma_x to a number above 0, at most 1e+12",
			"alpha_max is +Inf; set alpha_max to a finite number of at least alpha_min = 6"),
		"fixed K": edited(mog, func(c *Config) { c.FixedK, c.AlphaMin = 101, -1 },
			"fixed_k is 101; set fixed_k to at most n_min = 100"),
		"negative K": edited(mog, func(c *Config) { c.FixedK = -1 },
			"fixed_k is -1; set fixed_k to at least 0 (0 leaves K free)"),
		// P(2 ≤ K ≤ 6) = Σ_{k=2..6} 6^k·s(1000,k) / (6·7·…·1005) = 9.4e-10, in exact integers (Python 3).
		"rejection without end": edited(mog, func(c *Config) { c.MaxK = 6 },
			"min_k = 2 and max_k = 6 hold only 9.4e-10 of the partitions of 1000 points at alpha 6, below 0.01; "+
				"widen them, change alpha_min and alpha_max, or set fixed_k"),
		"unknown source": edited(file, func(c *Config) { c.Source = "cifar" },
			`source is "cifar"; set source to `+sourcesText),
		"no source": edited(file, func(c *Config) { c.Source = "" }, `source is ""; set source to `+sourcesText),
		"digits": edited(digits, func(c *Config) { c.Dim, c.Split, c.Images.Rotation = 2, "half", 181 },
			"dim is 2; set dim to 784: images have 28×28 pixels",
			`split is "half"; set split to "train", "test" or "valid"`,
			"rotation is 181; set rotation to degrees from 0 to 180"),
		"no path of images": edited(imageFile(""), func(*Config) {}, wantPath),
		"vectors": edited(file, func(c *Config) { c.Path, c.Factor, c.Vectors.Dropout = "", 0, 1 },
			wantPath, "factor is 0; set factor to a finite number above 0",
			"dropout is 1; set dropout to a probability of at least 0 and below 1"),
	} {
		err := test.config.Validate()
		if err == nil || err.Error() != strings.Join(test.want, "\n") || !usererr.Is(err) {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, strings.Join(test.want, "\n"))
		}
		if m, err := NewMoG(test.config); m != nil || err == nil {
			t.Errorf("%s: NewMoG gives %v, %v", name, m, err)
		}
	}
	// What no augmentation reads is not checked.
	digits.Mode, digits.Images.Rotation = ModeGenerative, 181
	if err := digits.Validate(); err != nil {
		t.Error(err)
	}
}

// imageFile is the default of a user's images.
func imageFile(path string) Config {
	c := Default(SourceFile)
	c.Path = path
	return c
}
