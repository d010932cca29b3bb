package experiments

import (
	"context"
	"math"
	"testing"

	"github.com/janpfeifer/must"
)

// Without MC and Reg the fixed point of CD is the data's law; with the published weights it is not, and the gradient
// is zero at what descend returns. The numbers of the published weights agree with an independent program (PyTorch
// 1.13, Adam, 6,000 steps).
func TestFixedPoint(t *testing.T) {
	law := fixedPointLaws[1].law
	published := descend(law, 0.4, 0.6).policy()
	for i, want := range [5]float64{0.402, 0.225, 0.124, 0.124, 0.124} {
		if math.Abs(published[i]-want) > 2e-3 {
			t.Errorf("published weights: partition %d has probability %g, want %g", i, published[i], want)
		}
	}
	e := descend(law, 40, 0)
	for i, p := range e.policy() {
		if math.Abs(p-law[i]) > 6e-3 {
			t.Errorf("CD alone almost: partition %d has probability %g, the data %g", i, p, law[i])
		}
	}
	var sum float64
	for _, p := range (tabular{0.3, -1, 2, 0.5, 0, 1, -2}).policy() {
		sum += p
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("a policy sums to %g", sum)
	}
	product := must.M1(fixedPoint.Reproduce(context.Background(), &Lab{}))
	if len(product.Table.Cells) != 3*5*4 {
		t.Errorf("%d cells", len(product.Table.Cells))
	}
}
