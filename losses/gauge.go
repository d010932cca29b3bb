package losses

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// Gauge holds the free constant of the intermediate energies near zero:
//
//	L_gauge = Σ_{n=2..N−1} (min_k E[c_{1:n−1}, k])²
//
// For n < N a constant added to all energies of a decision changes no flow, no probability and no other loss, and
// nothing stops a slow drift. In float32 a large constant drowns the differences between candidates in rounding. A
// weight of 1e-6 holds the constant below a few hundred; 1e-3 already slows learning.
//
// Law: it is zero exactly when the lowest energy of every decision but the last is zero. The result has shape [B].
func Gauge(t models.Table) *Node {
	between := LogicalAnd(LogicalAnd(t.Valid, LogicalNot(t.Last)), LogicalNot(firstPoint(t.Taken)))
	lowest := lowestEnergy(t.E)
	return ReduceSum(Square(Where(between, lowest, ZerosLike(lowest))), 1)
}

var gauge = Term{
	Name: "gauge", Key: "loss.gauge", Weight: func(c Config) float64 { return c.Gauge }, Silent: true,
	Loss: func(_ Config, s Sets) *Node { return Gauge(s.Table) },
}
