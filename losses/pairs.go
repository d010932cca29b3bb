package losses

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// pairBias is the log-odds that two points are together when their embeddings say nothing about it.
const pairBias = -1

// PairLikelihood asks the embeddings h' of points which pairs are in one cluster, by logistic regression on an
// indefinite product of two embeddings:
//
//	L_pairs = −N·mean_{i≠j} log p(c_i = c_j, or not),   p(c_i = c_j) = σ(⟨a_i, a_j⟩ − ⟨b_i, b_j⟩ + pairBias)
//
// where a and b are the halves of h'. A set of N points has N − 1 decisions and N² pairs: encoders that look at whole
// sets learn faster by these.
//
// Law: it is never negative, and does not change with the clusters' numbers. The result has shape [B], in nats.
func PairLikelihood(p models.Pairs) *Node {
	logit := AddScalar(p.Product, pairBias)
	signed := Mul(logit, AddScalar(MulScalar(p.Same, 2), -1))
	// −log σ(s) = max(−s, 0) + log(1 + e^−|s|)
	surprise := Add(engine.ReLU(Neg(signed)), Log1P(Exp(Neg(Abs(logit)))))
	return Div(Mul(ReduceSum(Mul(surprise, p.Valid), 1, 2), p.Count), ReduceSum(p.Valid, 1, 2))
}

var pairLikelihood = Term{
	Name: "pairs", Key: "loss.pair_weight", Weight: func(c Config) float64 { return c.PairWeight }, DataOnly: true,
	Loss: func(_ Config, s Sets) *Node { return PairLikelihood(s.Table.Pairs()) },
}
