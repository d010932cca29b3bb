package models_test

import (
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// The paper's sizes: 128 wide layers and embeddings, 512 for g (spec section 2).
func TestDefault(t *testing.T) {
	want := models.Config{Encoder: models.EncoderMLP, Dim: 384, Hidden: 128, Embed: 128, Global: 512}
	if got := models.Default(384); got != want {
		t.Errorf("Default(384) = %+v, want %+v", got, want)
	}
	if err := models.Default(2).Validate(); err != nil {
		t.Errorf("the default is refused: %v", err)
	}
}

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
