package engine

import (
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// bf16Option is this package's own option of XLA backends: the operands of Dense's products, forward and in its
// gradient, are rounded to bf16 (8 bits of mantissa), their sums are float32. All else stays float32.
const bf16Option = "bf16"

// BF16 reports whether the choice multiplies in bf16.
func (c Choice) BF16() bool {
	on, _ := switched(c.Config, bf16Option)
	return on && strings.HasPrefix(c.Config, "xla:")
}

// inBF16 holds the backends that multiply so.
var inBF16 Kept[string, bool]

func usesBF16(backend compute.Backend) bool {
	on, _ := inBF16.Find(backend, bf16Option)
	return on
}

// shortProduct is x·w of operands in bf16 with a float32 result. The gradient does not pass through the rounding: it
// is that of the product, computed in the same way, and stays float32.
func shortProduct(x, w *Node) *Node {
	y := times16(StopGradient(x), StopGradient(w), 1, 0)
	return tune(SchedulingBarrier(y, x, w), func(n, v *Node) []*Node { // its value is y; x and w get their gradients
		x, w := n.Inputs()[1], n.Inputs()[2]
		return []*Node{nil, times16(v, w, 1, 1), times16(x, v, 0, 0)}
	})
}

// times16 contracts an axis of a with one of b.
func times16(a, b *Node, ofA, ofB int) *Node {
	a, b = ConvertDType(a, dtypes.BFloat16), ConvertDType(b, dtypes.BFloat16)
	return Dot(a, b).WithOutputDType(dtypes.Float32).General([]int{ofA}, nil, []int{ofB}, nil)
}
