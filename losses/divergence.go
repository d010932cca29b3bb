package losses

import . "github.com/gomlx/gomlx/core/graph"

// ContrastiveDivergence is the sampled gradient of the reward's negative log-likelihood (paper, eq. eq:cd_gradient):
//
//	L_cd = E[c_{1:N}] − E[c̃_{1:N}]
//
// data [B] and negative [B] are the final energies of the data's labels and of a sample c̃ from the current policy. The
// sample itself is a constant; only its energy is differentiated. Law: its expectation's gradient is zero when the
// policy's samples and the data have the same distribution. The result has shape [B] and can be negative.
func ContrastiveDivergence(data, negative *Node) *Node { return Sub(data, negative) }

var contrastiveDivergence = Term{
	Name: "cd", Key: "loss.lambda", Weight: func(c Config) float64 { return c.Lambda },
	DataOnly: true, Sampled: true, Logged: true,
	Loss: func(_ Config, s Sets) *Node { return ContrastiveDivergence(s.Table.Final, s.Negative) },
}
