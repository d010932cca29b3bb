package losses

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// The kinds of a training step, each with an objective of its own.
const (
	LikelihoodStep  = "likelihood" // NCP: the likelihood of the data's labels alone
	WarmupStep      = "warm-up"    // GFNCP's optional start: the likelihood beside the terms of every step
	DataStep        = "data"       // GFNCP on the data's labels, with a sample from the current policy
	ExplorationStep = "explore"    // GFNCP on the labels of ExplorationLabels
)

// Term is a weighted term of GFNCP's objective.
type Term struct {
	// Name is the term's name in logs and curves; of a balance loss also the value of loss.balance, and Title its name
	// in tables.
	Name, Title string
	// Key is the weight's key in a config, and Weight reads the weight; Weight is nil for a term that is only logged. A
	// term of weight 0 is not part of the loss.
	Key    string
	Weight func(c Config) float64
	// Loss is the term of each set, [B].
	Loss func(c Config, s Sets) *Node
	// DataOnly terms count on data steps, the others on every step of GFNCP, the warm-up included. The latter should
	// fix constants that the other losses leave free.
	DataOnly bool
	// Sampled terms read the negative sample.
	Sampled bool
	// Logged terms are computed on every step of GFNCP, Sampled ones on data steps with a sample, whatever their
	// weight. A line of a log has the terms that its step computed, but Silent ones never.
	Logged, Silent bool
}

// Balances lists the losses that ask for balanced flows, the paper's first. Their weight is Config.BalanceWeight.
func Balances() []Term { return slices.Clone(balances) }

// Sets holds the inputs of the terms: the energies along the labels of a step, and on data steps the final energies [B]
// of a sample c̃ from the current policy.
type Sets struct {
	Table    models.Table
	Negative *Node
}

// Terms are an objective on a batch: the scalar that is minimized, and its parts before weighting, each a mean over the
// sets.
type Terms struct {
	Loss  *Node
	Parts []Part
}

// Part is a named scalar of Terms.
type Part struct {
	Name string
	Node *Node
}

// dataOnly reports whether a term counts on data steps alone under a config.
func (t Term) dataOnly(c Config) bool {
	return t.DataOnly || t.Name == regularization.Name && c.RegOnData
}

// Objective returns the loss that a step of a kind minimizes (paper, eq. eqn:combined_loss, alg:training). share is the
// scalar 1/B of the whole batch; the sets may be a part of it:
//
//	likelihood   L_nll
//	warm-up      L_nll     + δ·L_reg + γ·L_gauge
//	explore      L_balance + δ·L_reg + γ·L_gauge
//	data         L_balance + δ·L_reg + γ·L_gauge + λ·L_cd + w·L_nll
//
// where L_balance has the weight BalanceWeight, 1 in the paper.
//
// The warm-up has L_reg and L_gauge, so that free constants, such as the scale of the final energy, have values that
// suit marginal consistency.
func (c Config) Objective(step string, s Sets, share *Node) Terms {
	b := builder{config: c, sets: s, share: share, nodes: map[string]*Node{}}
	// Gradients add up in the order in which terms are built: another order would change the last bits of weights.
	for _, t := range terms {
		if step != LikelihoodStep && t.Logged && !t.Sampled {
			b.node(t)
		}
	}
	loss := b.main(step)
	if step != LikelihoodStep {
		if held := b.weighted(nil, func(t Term) bool { return !t.dataOnly(b.config) }); held != nil {
			loss = Add(loss, held)
		}
	}
	if step == DataStep {
		for _, t := range terms {
			if t.Sampled && t.Logged && s.Negative != nil {
				b.node(t)
			}
		}
		loss = b.weighted(loss, func(t Term) bool { return t.dataOnly(b.config) })
	}
	return Terms{Loss: loss, Parts: b.parts()}
}

// builder builds each term once.
type builder struct {
	config Config
	sets   Sets
	share  *Node
	nodes  map[string]*Node
}

// main is the part of the loss that every step of its kind has: the likelihood, or the weighted balance loss.
func (b *builder) main(step string) *Node {
	if step == LikelihoodStep || step == WarmupStep {
		return b.node(likelihood)
	}
	loss := b.node(b.config.balance())
	if w := b.config.BalanceWeight; w != 0 && w != 1 {
		return MulScalar(loss, w)
	}
	return loss
}

// weighted adds the chosen terms to sum, which may be nil.
func (b *builder) weighted(sum *Node, chosen func(Term) bool) *Node {
	for _, t := range terms {
		if t.Weight == nil || t.Weight(b.config) == 0 || !chosen(t) {
			continue
		}
		term := MulScalar(b.node(t), t.Weight(b.config))
		if sum != nil {
			term = Add(sum, term)
		}
		sum = term
	}
	return sum
}

func (b *builder) node(t Term) *Node {
	if b.nodes[t.Name] == nil {
		b.nodes[t.Name] = b.mean(t.Loss(b.config, b.sets))
	}
	return b.nodes[t.Name]
}

// parts lists the terms that were built, in the order of terms.
func (b *builder) parts() (parts []Part) {
	for _, t := range terms {
		if node := b.nodes[t.Name]; node != nil && !t.Silent {
			parts = append(parts, Part{t.Name, node})
		}
	}
	return parts
}

// mean averages a loss [B] over the batch and normalizes it.
func (b *builder) mean(loss *Node) *Node {
	total := Mul(ReduceAllSum(loss), b.share)
	if b.config.Normalize == PerStep {
		count := ReduceAllSum(ConvertDType(b.sets.Table.Valid, loss.DType())) // B·N
		sets := Scalar(loss.Graph(), loss.DType(), float64(loss.Shape().Dimensions[0]))
		total = Mul(total, Div(sets, count))
	}
	return total
}
