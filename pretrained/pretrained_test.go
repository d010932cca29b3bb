package pretrained_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/short"
	_ "github.com/gfncp/gfncp/pretrained"
)

// Every embedded model has a complete card and clusters well: on 24 held-out sets its NMI and ARI come close to what
// the card says for 500.
func TestEmbeddedModels(t *testing.T) {
	short.Skip(t, "clusters 24 sets with every model")
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	for _, name := range gfncp.Models() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := must.M1(gfncp.Find(name))
			card := m.Card
			if card.Name != name || card.Steps < 100 || card.Seconds <= 0 ||
				card.Machine == "" || card.Backend == "" || card.Selected == "" {
				t.Errorf("incomplete card %+v", card)
			}
			small, large := laws(m.Config.Data)
			keys := []string{"nmi_" + small, "ari_" + small, "nmi_" + large, "ari_" + large}
			if law, _, _ := strings.Cut(small, "_"); !m.Config.IsPeer() {
				keys = append(keys, "sdpp_"+law+"_n20")
			}
			for _, key := range keys {
				if card.Metrics[key] <= 0 {
					t.Errorf("the card lacks %s", key)
				}
			}
			source, err := sources.Source(m.Config.Data.HeldOut(1, 100, m.Config.Data.FixedK))
			if errors.Is(err, sources.ErrMissing) {
				t.Skip("set GFNCP_DATA to the folder of its images")
			}
			must.M(err)
			q := must.M1(evaluation.Model(context.Background(), backend, m, setBySet{source}, 99, 24))
			// A set's NMI varies by about 0.15 for images, its ARI by 0.2: three standard errors of 24 sets.
			if !(q.NMI >= card.Metrics["nmi_"+small]-0.09) || !(q.ARI >= card.Metrics["ari_"+small]-0.125) {
				t.Errorf("NMI %.3f and ARI %.3f on 24 sets, but its card says %v", q.NMI, q.ARI, card.Metrics)
			}
		})
	}
}

// setBySet hides the pool of a source: 24 sets have fewer images to embed than the whole pool.
type setBySet struct{ data.Source }

func laws(c data.Config) (small, large string) {
	switch {
	case c.FixedK > 0:
		return "k6_n100", "k6_n300"
	case c.IsImages():
		return "alpha1_n100", "alpha1_n300"
	}
	return "alpha1_n100", "alpha6_n300"
}
