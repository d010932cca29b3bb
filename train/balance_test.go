package train_test

import (
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// The balance loss of a config is what data and exploration steps minimize, while the log's mc stays marginal
// consistency: with the other terms off, the loss of a first step is mc itself for "mc" and, up to rounding, for "db";
// for "tb" it is another number of at most N−1 times mc (Cauchy-Schwarz), and so it is for "subtb", within N−1 squared.
func TestBalanceIsTrained(t *testing.T) {
	t.Parallel()
	for kind, beta := range map[string]string{"data": "loss.beta=1", "explore": "loss.beta=0"} {
		first := map[string]train.StepReport{}
		for _, balance := range []string{"", "mc", "db", "tb", "subtb"} {
			c := must.M1(tiny(train.GFNCP).Set(beta, "train.warmup_steps=0",
				"loss.lambda=0", "loss.delta=0", "loss.gauge=0"))
			if balance != "" {
				c = must.M1(c.Set("loss.balance=" + balance))
			}
			r := must.M1(must.M1(train.New(goBackend(), sources.Source, c)).Advance())
			if first[balance] = r; r.Kind != kind || r.Terms["mc"] <= 0 || r.Terms["mc"] != first[""].Terms["mc"] {
				t.Errorf("%s, balance %q: %+v", kind, balance, r)
			}
		}
		steps, mc := float64(first["tb"].Points-1), first[""].Terms["mc"]
		if first[""].Loss != mc || first["mc"].Loss != mc || !(relative(first["db"].Loss, mc) <= 1e-5) {
			t.Errorf("%s: mc is %v, the losses are %v by default, %v with mc, %v with db",
				kind, mc, first[""].Loss, first["mc"].Loss, first["db"].Loss)
		}
		for balance, most := range map[string]float64{"tb": steps * mc, "subtb": steps * steps * mc} {
			if loss := first[balance].Loss; loss <= 0 || loss > most || relative(loss, mc) < 1e-3 {
				t.Errorf("%s: the loss with %s is %v, mc %v", kind, balance, loss, mc)
			}
		}
	}
}
