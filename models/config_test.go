package models_test

import (
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

func TestConfigValidate(t *testing.T) {
	for _, c := range []models.Config{
		{Encoder: models.EncoderMLP, Dim: 1, Hidden: 1, Embed: 1, Global: 1},
		{Encoder: models.EncoderMLP, Dim: 65536, Hidden: 4096, Embed: 4096, Global: 65536},
	} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v is refused: %v", c, err)
		}
	}
	const want = `net.dim = 0 is outside 1..65536; set it with --set net.dim=…
net.hidden = 4097 is outside 1..4096; set it with --set net.hidden=…
net.embed = -1 is outside 1..4096; set it with --set net.embed=…
net.global = 65537 is outside 1..65536; set it with --set net.global=…`
	err := models.Config{Encoder: models.EncoderMLP, Hidden: 4097, Embed: -1, Global: 65537}.Validate()
	if err == nil || err.Error() != want {
		t.Errorf("Validate() =\n%v\nwant\n%s", err, want)
	}
	if !usererr.Is(err) {
		t.Error("Validate() is not a fault of the user")
	}
	unknown := models.Default(2)
	unknown.Encoder = "resnet"
	if err := unknown.Validate(); err == nil ||
		err.Error() != `net.encoder = "resnet" is not known; choose "mlp" or "conv"` {
		t.Errorf("an unknown encoder: %v", err)
	}
}

// Moments are of vectors of at most 64 coordinates, and only a network with moments takes α.
func TestConfigOfMoments(t *testing.T) {
	const moments = "net.moments reads vectors of at most 64 coordinates; set net.moments=false"
	for _, test := range []struct {
		encoder        string
		dim            int
		moments, alpha bool
		want           string
	}{
		{models.EncoderMLP, 64, true, false, ""},
		{models.EncoderMLP, 64, true, true, ""},
		{models.EncoderMLP, 65, true, false, moments},
		{models.EncoderMLP, 65, false, false, ""},
		{models.EncoderConv, 784, false, false, ""},
		{models.EncoderConv, 784, true, false, moments},
		{models.EncoderMLP, 64, false, true, "net.alpha needs net.moments; set net.moments=true"},
	} {
		c := models.Default(test.dim)
		c.Encoder, c.Moments, c.Alpha = test.encoder, test.moments, test.alpha
		err := c.Validate()
		if (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%+v: got %v, want %q", c, err, test.want)
		}
	}
	for _, test := range []struct {
		moments, online bool
		want            string
	}{
		{true, false, ""},
		{false, false, "net.mean_shift needs net.moments; set net.moments=true"},
		{true, true, "net.mean_shift looks at the whole set, which a network with net.online does not see; " +
			"set net.online=false"},
	} {
		c := models.Default(2)
		c.MeanShift, c.Moments, c.Online = true, test.moments, test.online
		if err := c.Validate(); (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%+v: got %v, want %q", c, err, test.want)
		}
	}
	c := models.Default(2)
	c.Moments, c.Additive = true, true
	const needs = "net.additive needs net.mean_shift; set net.mean_shift=true"
	if err := c.Validate(); err == nil || err.Error() != needs {
		t.Errorf("additive without mean shift: got %v, want %q", err, needs)
	}
	c = models.Default(2)
	c.Encoder = models.EncoderConv
	const want = `net.encoder = "conv" reads images of 28×28 pixels, but net.dim = 2; ` +
		`set net.dim to 784, or net.encoder to "mlp"`
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("images of 2 pixels: got %v, want %q", err, want)
	}
}
