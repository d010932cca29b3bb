package losses_test

import (
	"math"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
)

// Every fault is reported at once, the weights in the order of the terms.
func TestValidateReportsEveryFault(t *testing.T) {
	bad := losses.Config{
		Beta: 1.5, Lambda: -1, Delta: math.NaN(), Gauge: -0.5, MCEpsilon: math.Inf(1), NLLWeight: 2e6,
		Normalize: "mean", Explore: "random", Flows: "max", BalanceWeight: -2,
	}
	const want = `loss.beta is 1.5; set loss.beta to a probability in 0..1
loss.lambda is -1; set loss.lambda to a number in 0..1e6
loss.delta is NaN; set loss.delta to a number in 0..1e6
loss.gauge is -0.5; set loss.gauge to a number in 0..1e6
loss.nll_weight is 2e+06; set loss.nll_weight to a number in 0..1e6
loss.mc_epsilon is +Inf; set loss.mc_epsilon to a number in 0..1e6
loss.balance_weight is -2; set loss.balance_weight to a number in 0..1e6
loss.flows is max; set loss.flows to min or free
loss.normalize is mean; set loss.normalize to per-step or sum
loss.explore is random; set loss.explore to uniform-labels or merge-blocks`
	err := bad.Validate()
	if err == nil || err.Error() != want {
		t.Errorf("Validate() =\n%v\nwant\n%s", err, want)
	}
	if !usererr.Is(err) {
		t.Error("Validate() is not a fault of the user")
	}
	nan := losses.DefaultConfig()
	nan.Beta = math.NaN()
	if err := nan.Validate(); err == nil {
		t.Error("beta = NaN is accepted")
	}
}

// A balance loss is known by name; a key that means nothing beside it is refused, with the way out.
func TestValidateBalance(t *testing.T) {
	for _, test := range []struct {
		balance         string
		lambda, epsilon float64
		want            string // of the fault; "" is accepted
	}{
		{"", 0, 1e-5, ""},
		{losses.MC, 0, 1e-5, ""},
		{losses.DB, 0, 0, ""},
		{losses.TB, 0, 0, ""},
		{losses.SubTB, 0, 0, ""},
		{losses.SubTB, 1, 0, ""},
		{"vb", 0, 0, "loss.balance is vb; set loss.balance to mc, db, tb or subtb"},
		{losses.SubTB, 1.5, 0, "loss.subtb_lambda is 1.5; set loss.subtb_lambda to a number above 0, at most 1"},
		{losses.SubTB, math.NaN(), 0, "loss.subtb_lambda is NaN; set loss.subtb_lambda to a number above 0, at most 1"},
		{
			losses.DB, 0, 1e-5,
			"loss.mc_epsilon is 1e-05; set loss.mc_epsilon to 0: loss.balance = db has no flow to clamp",
		},
	} {
		c := losses.DefaultConfig()
		c.Balance, c.SubTBLambda, c.MCEpsilon = test.balance, test.lambda, test.epsilon
		err := c.Validate()
		if (err == nil) != (test.want == "") || err != nil && (err.Error() != test.want || !usererr.Is(err)) {
			t.Errorf("balance %q, λ %v, ε %v: got %v, want %q", test.balance, test.lambda, test.epsilon, err, test.want)
		}
	}
}
