package pretrained_test

import (
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/pretrained"
)

func TestNames(t *testing.T) {
	if got := pretrained.Names(); !slices.Equal(got, []string{"mog-gfncp", "mog-ncp"}) {
		t.Errorf("embedded models %v", got)
	}
	if _, err := pretrained.Open("mog-dac"); !usererr.Is(err) || pretrained.Has("mog-dac") {
		t.Errorf("an unknown model gave %v", err)
	}
}

// Every embedded model has a complete card and clusters well: on 16 held-out sets its NMI and ARI come close to what the
// card says for 500.
func TestEmbeddedModels(t *testing.T) {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 16, 100, 100, 1, 1, "test"
	source := must.M1(data.NewMoG(c))
	for _, name := range pretrained.Names() {
		m := must.M1(pretrained.Open(name))
		card := m.Card
		if card.Name != name || card.Steps < 100 || card.Seconds <= 0 || card.Machine == "" || card.Backend == "" || card.Selected == "" {
			t.Errorf("%s: incomplete card %+v", name, card)
		}
		for _, key := range []string{"nmi_alpha1_n100", "ari_alpha1_n100", "nmi_alpha6_n300", "ari_alpha6_n300", "sdpp_alpha1_n20", "sdpp_alpha6_n20"} {
			if card.Metrics[key] <= 0 {
				t.Errorf("%s: the card lacks %s", name, key)
			}
		}
		net := must.M1(models.NewNetwork(backend, m.Config.Net, m.Params))
		q := must.M1(experiments.Evaluate(net, source, 99, 16))
		if q.NMI < card.Metrics["nmi_alpha1_n100"]-0.06 || q.ARI < card.Metrics["ari_alpha1_n100"]-0.08 {
			t.Errorf("%s: NMI %.3f and ARI %.3f on 16 sets, but its card says %v", name, q.NMI, q.ARI, card.Metrics)
		}
	}
}
