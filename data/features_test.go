package data

import (
	"math"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/gfncp/gfncp/data/augment"
)

// TestDefaultFeatures pins the printed defaults of a feature set: the paper's noise of 0.05 counts in units of
// vectors of length 1, the config's after the factor 20.
func TestDefaultFeatures(t *testing.T) {
	const want = "in50 split=train dim=384 batch=64 n_min=20 n_max=50 alpha_min=1 alpha_max=1 fixed_k=0 min_k=2 " +
		"max_k=0 mode=instance stream=train factor=20 augment_base=false neighbors=0 vectors noise=1 dropout=0.2"
	sets := 0
	for _, d := range Sources() {
		if d.Shape != Vectors {
			continue
		}
		sets++
		source := d.Name
		c := Default(source)
		if got := c.String(); got != strings.Replace(want, "in50", source, 1) {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
		if err := c.Validate(); err != nil || c.IsImages() || !c.IsVectors() {
			t.Errorf("%s: %v, images %v, vectors %v", source, err, c.IsImages(), c.IsVectors())
		}
		if c.Vectors.Noise/c.Factor != augment.DefaultVectors().Noise {
			t.Errorf("noise of %v in the vectors' own unit", c.Vectors.Noise/c.Factor)
		}
		test := c.HeldOut(1, 50, 4)
		wantTest := source + " split=test dim=384 batch=16 n_min=50 n_max=50 alpha_min=1 alpha_max=1 fixed_k=4 " +
			"min_k=2 max_k=0 mode=generative stream=test factor=20"
		if got := test.String(); got != wantTest || test.Validate() != nil {
			t.Errorf("got\n%s, want\n%s; %v", got, wantTest, test.Validate())
		}
		text, err := toml.Marshal(c)
		var back Config
		if err == nil {
			err = toml.Unmarshal(text, &back)
		}
		if err != nil || back != c {
			t.Errorf("%s came back as %+v, %v", source, back, err)
		}
	}
	for _, c := range []Config{DefaultMoG(), Default(SourceMNIST), imageFile("pictures")} {
		if c.IsVectors() {
			t.Errorf("%s counts as vectors", c.Source)
		}
	}
	if own := DefaultVectors("v.npy", 3); !own.IsVectors() || own.Descriptor().HasSplits() || sets != 6 {
		t.Errorf("%d sets of vectors; a user's counts as one: %v", sets, own.Descriptor().HasSplits())
	}
}

// TestFeatureFaults: what a feature set needs is checked.
func TestFeatureFaults(t *testing.T) {
	c := Default("standin50")
	c.Split, c.Factor, c.Vectors.Dropout = "valid", math.Inf(1), 1
	const want = `split is "valid"; set split to "train" or "test"` + "\n" +
		"factor is +Inf; set factor to a finite number above 0\n" +
		"dropout is 1; set dropout to a probability of at least 0 and below 1"
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}
