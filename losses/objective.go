package losses

import (
	"cmp"
	"errors"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// The ways to scale a set's loss.
const (
	PerStep = "per-step" // divided by the number of points N, as the published code does
	Sum     = "sum"      // as the paper's formulas stand
)

// The labels of an exploration step.
const (
	UniformLabels  = "uniform-labels"  // each point uniform over the set's K labels, renumbered
	UniformActions = "uniform-actions" // each decision uniform over its K_n+1 legal actions: full support
	MergeBlocks    = "merge-blocks"    // each data cluster moves as a whole to a uniform label (published code)
)

// The losses that ask for balanced flows.
const (
	MC    = "mc"    // marginal consistency, the paper's
	DB    = "db"    // detailed balance
	TB    = "tb"    // trajectory balance
	SubTB = "subtb" // sub-trajectory balance
)

// Config weighs the terms of the objective. The paper's symbols are given with each field.
type Config struct {
	// Beta is β, the probability of a step on the data's labels; the others explore. Paper: 0.999 MoG, 0.99 images.
	Beta float64 `toml:"beta" json:"beta"`
	// Lambda is λ, the weight of contrastive divergence on data steps. Published code: 0.4.
	Lambda float64 `toml:"lambda" json:"lambda"`
	// Delta is δ, the weight of the regularization. Published code: 0.6.
	Delta float64 `toml:"delta" json:"delta"`
	// Gauge weighs a term that keeps the free constant of the energies before the last decision near zero (see Gauge): it
	// changes nothing that the paper's objective sees, but float32 needs it. 0 leaves it out.
	Gauge float64 `toml:"gauge" json:"gauge"`
	// Normalize is "per-step" (default) or "sum".
	Normalize string `toml:"normalize" json:"normalize"`
	// MCEpsilon clamps every log-flow as log(ε + exp(·)); 0 is exact. Published code: 1e-5.
	MCEpsilon float64 `toml:"mc_epsilon" json:"mc_epsilon"`
	// Explore names the labels of an exploration step: "uniform-labels", "uniform-actions" or "merge-blocks".
	Explore string `toml:"explore" json:"explore"`
	// NLLWeight keeps a likelihood term beside the others on data steps; 0 is the paper's objective.
	NLLWeight float64 `toml:"nll_weight" json:"nll_weight"`
	// Balance is the loss that asks for balanced flows, at weight 1: "mc", "db", "tb" or "subtb"; empty is "mc", the paper's.
	Balance string `toml:"balance,omitempty" json:"balance,omitempty"`
	// SubTBLambda is λ of "subtb", the weight of one more step, in 0..1; 0 is DefaultSubTBLambda.
	SubTBLambda float64 `toml:"subtb_lambda,omitempty" json:"subtb_lambda,omitempty"`
}

// DefaultConfig is the paper's objective for mixtures of Gaussians.
func DefaultConfig() Config {
	return Config{Beta: 0.999, Lambda: 0.4, Delta: 0.6, Gauge: 1e-6, Normalize: PerStep, Explore: UniformLabels}
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	fault := func(key string, value any, want string) {
		faults = append(faults, usererr.New("choose "+want, "%s = %v is not allowed", key, value))
	}
	if !(c.Beta >= 0 && c.Beta <= 1) {
		fault("loss.beta", c.Beta, "a probability in 0..1")
	}
	for _, weight := range []struct {
		key   string
		value float64
	}{
		{"loss.lambda", c.Lambda},
		{"loss.delta", c.Delta},
		{"loss.gauge", c.Gauge},
		{"loss.mc_epsilon", c.MCEpsilon},
		{"loss.nll_weight", c.NLLWeight},
	} {
		if !(weight.value >= 0 && weight.value <= 1e6) {
			fault(weight.key, weight.value, "a number in 0..1e6")
		}
	}
	if c.Normalize != PerStep && c.Normalize != Sum {
		fault("loss.normalize", c.Normalize, `"per-step" or "sum"`)
	}
	switch c.Explore {
	case UniformLabels, UniformActions, MergeBlocks:
	default:
		fault("loss.explore", c.Explore, `"uniform-labels", "uniform-actions" or "merge-blocks"`)
	}
	return errors.Join(append(faults, c.validateBalance()...)...)
}

// validateBalance reports an unknown balance loss, and keys that mean nothing beside it.
func (c Config) validateBalance() (faults []error) {
	if !slices.Contains([]string{"", MC, DB, TB, SubTB}, c.Balance) {
		return []error{usererr.New(`choose "mc", "db", "tb" or "subtb"`, "loss.balance = %q is not known", c.Balance)}
	}
	if c.Balance != "" && c.Balance != MC && c.MCEpsilon != 0 {
		faults = append(faults, usererr.New("set loss.mc_epsilon=0", "loss.mc_epsilon = %v clamps no flow of loss.balance = %q", c.MCEpsilon, c.Balance))
	}
	switch {
	case !(c.SubTBLambda >= 0 && c.SubTBLambda <= 1):
		faults = append(faults, usererr.New("choose a number in 0..1", "loss.subtb_lambda = %v is not allowed", c.SubTBLambda))
	case c.SubTBLambda != 0 && c.Balance != SubTB:
		faults = append(faults, usererr.New("set loss.balance=subtb, or leave it out", "loss.subtb_lambda = %v means nothing with loss.balance = %q", c.SubTBLambda, c.Balance))
	}
	return faults
}

// Terms are the parts of the objective, each a mean over the batch's sets (scalar nodes) before weighting.
type Terms struct {
	Loss *Node // the weighted sum that is minimized
	MC   *Node // marginal consistency, whatever the balance loss is
	CD   *Node // contrastive divergence; zero on exploration steps
	Reg  *Node // regularization
	NLL  *Node // negative log-likelihood of the labels
}

// Likelihood is the objective of NCP.
func (c Config) Likelihood(t models.Table, share *Node) Terms {
	nll := c.mean(NegLogLikelihood(t), t, share)
	zero := ZerosLike(nll)
	return Terms{Loss: nll, MC: zero, CD: zero, Reg: zero, NLL: nll}
}

// Warmup is the objective of GFNCP's optional likelihood warm-up: the likelihood, with the regularization that keeps the
// final energy, whose scale the likelihood leaves free, where marginal consistency will want it.
func (c Config) Warmup(t models.Table, share *Node) Terms {
	terms := c.Likelihood(t, share)
	terms.Reg = c.mean(Regularization(t.Final), t, share)
	terms.MC = c.mean(MarginalConsistency(t, c.MCEpsilon), t, share)
	terms.Loss = Add(terms.NLL, c.held(t, terms.Reg, share))
	return terms
}

// held sums the terms that hold free constants: the final energy's scale, and the gauge of the others.
func (c Config) held(t models.Table, reg, share *Node) *Node {
	return Add(MulScalar(reg, c.Delta), MulScalar(c.mean(Gauge(t), t, share), c.Gauge))
}

// balance is the term that asks for balanced flows; mc is marginal consistency.
func (c Config) balance(t models.Table, mc, share *Node) *Node {
	switch c.Balance {
	case DB:
		return c.mean(DetailedBalance(t), t, share)
	case TB:
		return c.mean(TrajectoryBalance(t), t, share)
	case SubTB:
		return c.mean(SubTrajectoryBalance(t, cmp.Or(c.SubTBLambda, DefaultSubTBLambda)), t, share)
	}
	return mc
}

// Consistency is the objective of GFNCP (paper, eq. eqn:combined_loss, alg:training). negative is the final energy [B] of
// a sample from the current policy, or nil on an exploration step. share is the scalar 1/B of the whole batch, of which t
// may be a part.
func (c Config) Consistency(t models.Table, negative, share *Node) Terms {
	terms := Terms{
		MC:  c.mean(MarginalConsistency(t, c.MCEpsilon), t, share),
		Reg: c.mean(Regularization(t.Final), t, share),
		NLL: c.mean(NegLogLikelihood(t), t, share),
	}
	terms.Loss = Add(c.balance(t, terms.MC, share), c.held(t, terms.Reg, share))
	terms.CD = ZerosLike(terms.MC)
	if negative == nil {
		return terms
	}
	terms.CD = c.mean(ContrastiveDivergence(t.Final, negative), t, share)
	terms.Loss = Add(terms.Loss, MulScalar(terms.CD, c.Lambda))
	if c.NLLWeight > 0 {
		terms.Loss = Add(terms.Loss, MulScalar(terms.NLL, c.NLLWeight))
	}
	return terms
}

// mean averages a loss [B] over the batch and normalizes it.
func (c Config) mean(loss *Node, t models.Table, share *Node) *Node {
	total := Mul(ReduceAllSum(loss), share)
	if c.Normalize == PerStep {
		count := ReduceAllSum(ConvertDType(t.Valid, loss.DType())) // B·N
		sets := Scalar(loss.Graph(), loss.DType(), float64(loss.Shape().Dimensions[0]))
		total = Mul(total, Div(sets, count))
	}
	return total
}
