package models_test

import (
	"strings"
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
	const want = `net.dim = 0 is outside 1..65536; set net.dim=…
net.hidden = 4097 is outside 1..4096; set net.hidden=…
net.embed = -1 is outside 1..4096; set net.embed=…
net.global = 65537 is outside 1..65536; set net.global=…`
	err := models.Config{Encoder: models.EncoderMLP, Hidden: 4097, Embed: -1, Global: 65537}.Validate()
	if err == nil || err.Error() != want {
		t.Errorf("Validate() =\n%v\nwant\n%s", err, want)
	}
	if !usererr.Is(err) {
		t.Error("Validate() is not a fault of the user")
	}
}

// Each kind of network names what it needs.
func TestConfigFaults(t *testing.T) {
	const fewOnly = "net.extended reads vectors of at most 64 coordinates; set net.extended=false"
	type config = models.Config
	for _, test := range []struct {
		change func(c *config)
		want   string // the beginning of the fault; "" is accepted
	}{
		{func(c *config) { c.Encoder = "resnet" }, `net.encoder = "resnet" is not known; choose "mlp" or "conv"`},
		{func(c *config) { c.Encoder, c.Dim = models.EncoderConv, 784 }, ""},
		{func(c *config) { c.Encoder = models.EncoderConv }, `net.encoder = "conv" reads images of 28×28 pixels, ` +
			`but net.dim = 2; set net.dim to 784, or net.encoder to "mlp"`},
		{func(c *config) { c.Extended, c.Encoder, c.Dim = true, models.EncoderConv, 784 }, fewOnly},
		{func(c *config) { c.Extended, c.Dim = true, 64 }, ""},
		{func(c *config) { c.Extended, c.Dim = true, 65 }, fewOnly},
		{func(c *config) { c.Dim = 65 }, ""},
		{func(c *config) { c.Extended, c.Online = true, true }, ""},
	} {
		c := models.Default(2)
		test.change(&c)
		err := c.Validate()
		if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", c, err, test.want)
		}
	}
}
