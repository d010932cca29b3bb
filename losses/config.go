package losses

import (
	"cmp"
	"errors"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/gfncp/gfncp/internal/usererr"
)

// terms lists the terms of GFNCP's objective, in the order in which they are built. Marginal consistency is logged
// whatever the balance loss is. A new term is an entry here, the key of its weight below, and a file with its law and
// its Term (docs/extending.md).
var terms = []Term{
	marginalConsistency, contrastiveDivergence, regularization, gauge, likelihood,
}

// balances lists the losses that ask for balanced flows, the paper's first. A new one is a line here and its file.
var balances = []Term{marginalConsistency, detailedBalance, trajectoryBalance, subTrajectoryBalance}

// The flow of a state before the last decision (Config.Flows).
const (
	FlowsMin  = "min"  // exp(−(E − min E)), the paper's
	FlowsFree = "free" // exp(−E)
)

// The ways to scale a set's loss.
const (
	PerStep = "per-step" // divided by the number of points N, as the published code does
	Sum     = "sum"      // as the paper's formulas stand
)

// Config holds the weights and the settings of the objective, with the paper's symbols.
type Config struct {
	// Beta is β, the probability of a step on the data's labels; the others explore. Paper: 0.999 MoG, 0.99 images.
	Beta float64 `toml:"beta" json:"beta"`
	// Lambda is λ, the weight of contrastive divergence on data steps. Published code: 0.4.
	Lambda float64 `toml:"lambda" json:"lambda"`
	// Delta is δ, the weight of the regularization. Published code: 0.6.
	Delta float64 `toml:"delta" json:"delta"`
	// Gauge is γ, the weight of a term that keeps the free constant of the energies before the last decision near zero
	// (see Gauge). The paper's objective does not depend on this constant, but float32 needs the term. 0 leaves it out.
	Gauge float64 `toml:"gauge" json:"gauge"`
	// Normalize is "per-step" (default) or "sum".
	Normalize string `toml:"normalize" json:"normalize"`
	// MCEpsilon clamps every log-flow as log(ε + exp(·)); 0 is exact. Published code: 1e-5.
	MCEpsilon float64 `toml:"mc_epsilon" json:"mc_epsilon"`
	// Explore names the labels of an exploration step: "uniform-labels" or "merge-blocks".
	Explore string `toml:"explore" json:"explore"`
	// RegOnData limits the regularization to data steps, as in the published code. The paper's Alg. 1 has it on every
	// step.
	RegOnData bool `toml:"reg_on_data,omitempty" json:"reg_on_data,omitempty"`
	// NLLWeight is w, the weight of a likelihood term on data steps; 0 is the paper's objective.
	NLLWeight float64 `toml:"nll_weight" json:"nll_weight"`
	// Balance is the loss that asks for balanced flows: "mc", "db", "tb" or "subtb"; empty is "mc", the paper's.
	Balance string `toml:"balance,omitempty" json:"balance,omitempty"`
	// Flows selects the flow of a state before the last decision: "min" (or empty) is the paper's exp(−(E − min E)),
	// "free" is exp(−E), which balances exactly where E is −log p(c_{1:n}|x) (docs/objective.md).
	Flows string `toml:"flows,omitempty" json:"flows,omitempty"`
	// BalanceWeight is the weight of the balance loss; 0 is the paper's 1.
	BalanceWeight float64 `toml:"balance_weight,omitempty" json:"balance_weight,omitempty"`
	// SubTBLambda is λ of "subtb", the weight of one more step, above 0, at most 1; 0 is DefaultSubTBLambda.
	SubTBLambda float64 `toml:"subtb_lambda,omitempty" json:"subtb_lambda,omitempty"`
}

// DefaultConfig returns the paper's objective for mixtures of Gaussians.
func DefaultConfig() Config {
	return Config{Beta: 0.999, Lambda: 0.4, Delta: 0.6, Gauge: 1e-6, Normalize: PerStep, Explore: UniformLabels}
}

// FreeFlows returns the objective whose optimum is the posterior: likelihood, and a balance loss on free flows with a
// thousandth of its weight. It needs no sample from the policy.
func FreeFlows() Config {
	return Config{
		Beta: 1, Normalize: PerStep, Explore: UniformLabels, Flows: FlowsFree, NLLWeight: 1, BalanceWeight: 0.001,
	}
}

// Validate reports every fault at once: values out of range, unknown names, and keys that have no effect.
func (c Config) Validate() error {
	var faults usererr.Faults
	weight := func(key string, value float64) {
		faults.Demand(value >= 0 && value <= 1e6, key, value, "a number in 0..1e6")
	}
	oneOf := func(key, value string, names ...string) {
		faults.Demand(slices.Contains(names, value), key, value, english.WordSeries(names, "or"))
	}
	faults.Demand(c.Beta >= 0 && c.Beta <= 1, "loss.beta", c.Beta, "a probability in 0..1")
	for _, t := range terms {
		if t.Weight != nil {
			weight(t.Key, t.Weight(c))
		}
	}
	weight("loss.mc_epsilon", c.MCEpsilon)
	weight("loss.balance_weight", c.BalanceWeight)
	oneOf("loss.flows", cmp.Or(c.Flows, FlowsMin), FlowsMin, FlowsFree)
	oneOf("loss.normalize", c.Normalize, PerStep, Sum)
	oneOf("loss.explore", c.Explore, UniformLabels, MergeBlocks)
	faults.Demand(c.SubTBLambda >= 0 && c.SubTBLambda <= 1, "loss.subtb_lambda", c.SubTBLambda,
		"a number above 0, at most 1")
	var names []string
	for _, b := range balances {
		names = append(names, b.Name)
	}
	oneOf("loss.balance", cmp.Or(c.Balance, MC), names...)
	faults.Demand(c.MCEpsilon == 0 || cmp.Or(c.Balance, MC) == MC, "loss.mc_epsilon", c.MCEpsilon,
		"0: loss.balance = "+c.Balance+" has no flow to clamp")
	return errors.Join(faults...)
}

// balance returns the balance loss of a valid config, by default the paper's.
func (c Config) balance() Term {
	name := cmp.Or(c.Balance, MC)
	return balances[slices.IndexFunc(balances, func(b Term) bool { return b.Name == name })]
}
