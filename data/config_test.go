package data

import (
	"math"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/data/augment"
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
	const sourcesText = `"mog", "mnist", "fmnist", "in50", "in100", "in200", "standin50", "standin100", ` +
		`"standin200" or "file"`
	const wantPath = `data.path is ""; set data.path to a folder of images or a file of images or vectors`
	for name, test := range map[string]faultCase{
		"zero value": edited(mog, func(c *Config) { *c = Config{Source: SourceMoG} },
			"data.dim is 0; set data.dim to at least 1",
			"data.sigma_x is 0; set data.sigma_x to a number above 0, at most 1e+12",
			"data.batch is 0; set data.batch to 1 to 1000000",
			"data.n_min is 0; set data.n_min to at least 1",
			`data.mode is ""; set data.mode to "generative" or "instance"`,
			`data.stream is ""; set data.stream to a name without spaces, such as "train"`,
			"data.alpha_min is 0; set data.alpha_min to a finite number above 0",
			"data.min_k is 0; set data.min_k to at least 1"),
		"bounds crossed": edited(mog, func(c *Config) {
			c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.MinK, c.MaxK, c.SigmaMu = 5, 4, 3, 2, 6, 3, -1
		},
			"data.sigma_mu is -1; set data.sigma_mu to 0 to 1e+12",
			"data.n_max is 4; set data.n_max to data.n_min = 5 to 1000000",
			"data.alpha_max is 2; set data.alpha_max to a finite number of at least data.alpha_min = 3",
			"data.min_k is 6; set data.min_k to at most data.n_min = 5",
			"data.max_k is 3; set data.max_k to 0 (no bound) or at least data.min_k = 6"),
		"not finite": edited(mog, func(c *Config) {
			c.SigmaMu, c.SigmaX, c.AlphaMax = math.NaN(), math.Inf(1), math.Inf(1)
		},
			"data.sigma_mu is NaN; set data.sigma_mu to 0 to 1e+12",
			"data.sigma_x is +Inf; set data.sigma_x to a number above 0, at most 1e+12",
			"data.alpha_max is +Inf; set data.alpha_max to a finite number of at least data.alpha_min = 6"),
		"fixed K": edited(mog, func(c *Config) { c.FixedK, c.AlphaMin = 101, -1 },
			"data.fixed_k is 101; set data.fixed_k to at most data.n_min = 100"),
		"negative K": edited(mog, func(c *Config) { c.FixedK = -1 },
			"data.fixed_k is -1; set data.fixed_k to at least 0 (0 leaves K free)"),
		// P(2 ≤ K ≤ 6) = Σ_{k=2..6} 6^k·s(1000,k) / (6·7·…·1005) = 9.4e-10, in exact integers (Python 3).
		"rejection without end": edited(mog, func(c *Config) { c.MaxK = 6 },
			"data.min_k = 2 and data.max_k = 6 hold only 9.4e-10 of the partitions of 1000 points at alpha 6, "+
				"below 0.01; widen them, change data.alpha_min and data.alpha_max, or set data.fixed_k"),
		"unknown source": edited(file, func(c *Config) { c.Source = "cifar" },
			`data.source is "cifar"; set data.source to `+sourcesText),
		"no source": edited(file, func(c *Config) { c.Source = "" },
			`data.source is ""; set data.source to `+sourcesText),
		"digits": edited(digits, func(c *Config) { c.Dim, c.Split, c.Images.Rotation = 2, "half", 181 },
			"data.dim is 2; set data.dim to 784: images have 28×28 pixels",
			`data.split is "half"; set data.split to "train", "test" or "valid"`,
			"data.images.rotation is 181; set data.images.rotation to degrees from 0 to 180"),
		"no path of images": edited(imageFile(""), func(*Config) {}, wantPath),
		"vectors": edited(file, func(c *Config) {
			c.Path, c.Factor, c.Vectors = "", 0, augment.Vectors{Noise: -1, Dropout: 1}
		},
			wantPath, "data.factor is 0; set data.factor to a finite number above 0",
			"data.vectors.noise is -1; set data.vectors.noise to a finite number of at least 0",
			"data.vectors.dropout is 1; set data.vectors.dropout to a probability of at least 0 and below 1"),
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
