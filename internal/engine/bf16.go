package engine

import (
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// bf16Option is this package's own option of XLA backends. With bf16=true the operands of Dense's products, forward and
// in its gradient, are rounded to bf16 (8 bits of mantissa), their sums are float32, and all else stays float32. With
// bf16=hidden, graphs after KeepShort hold the hidden layers that are Short in bf16. This halves the bytes that are
// written and read. The weights that multiply them are rounded too; all else stays float32.
const (
	bf16Option   = "bf16"
	bf16Products = "true" // and other words that go-xla reads as true
	bf16Hidden   = "hidden"
)

// BF16 reports whether the choice multiplies in bf16, everywhere or in hidden layers.
func (c Choice) BF16() bool { return c.bf16() != "" }

// bf16 returns the option's value: bf16Products, bf16Hidden or "".
func (c Choice) bf16() string {
	on, _ := switched(c.Config, bf16Option)
	value, _ := optionOf(c.Config, bf16Option)
	switch {
	case value == bf16Hidden:
		return bf16Hidden
	case on && strings.HasPrefix(c.Config, "xla:"):
		return bf16Products
	}
	return ""
}

// optionKept holds the value of the option that each backend was opened with.
var optionKept Kept[struct{}, string]

// keepBF16 returns the value of a backend. The first call for the backend decides it.
func keepBF16(backend compute.Backend, opened string) string {
	value, _ := optionKept.Get(backend, struct{}{}, func() (string, error) { return opened, nil }) // it cannot fail
	return value
}

func usesBF16(backend compute.Backend, value string) bool { return keepBF16(backend, "") == value }

// keepsShort is the state of a graph whose hidden layers are kept in bf16.
type keepsShort struct{}

// KeepShort keeps the hidden layers of a graph in bf16 from here on, on a backend that was opened with bf16=hidden; on
// others it does nothing.
func KeepShort(g *Graph) {
	if usesBF16(g.Backend(), bf16Hidden) {
		g.AttachState(keepsShort{}, true)
	}
}

// Short is x, the values before the ReLU of a hidden layer, in bf16 if the graph keeps them so, else x itself. Dense
// returns float32 again.
func Short(x *Node) *Node {
	if x.Graph().State(keepsShort{}) == nil {
		return x
	}
	return inShort(x)
}

// shortProduct is x·w with operands in bf16 and a float32 result, for x in float32 or bf16 and w in float32. The
// gradient passes through the rounding, and is computed in the same way: by w it is float32, and by x of x's type.
//
// GoMLX wants the gradient by an operand to have the operand's type, and would round that by w: so it is computed where
// w is rounded, which comes after the product in the gradient.
func shortProduct(x, w *Node) *Node {
	var v *Node // the gradient by the product
	by := func(f func() *Node) vjp { return func(_, _ *Node) []*Node { return []*Node{f()} } }
	toW := tune(inShort(w), by(func() *Node { return times16(x, v, 0, 0, dtypes.Float32) }))
	toX := x
	if x.DType() != dtypes.BFloat16 {
		toX = tune(inShort(x), by(func() *Node { return times16(v, w, 1, 1, dtypes.Float32) }))
	}
	return tune(times16(toX, toW, 1, 0, dtypes.Float32), func(_, gradient *Node) []*Node {
		v = gradient
		if toX == x {
			return []*Node{times16(v, w, 1, 1, dtypes.BFloat16), ZerosLike(toW)}
		}
		return []*Node{ZerosLike(toX), ZerosLike(toW)} // nothing reads zeros
	})
}

// times16 contracts an axis of a with one of b. XLA adds products of bf16 up in float32 for any accumulator type. It is
// bf16 here, because with float32 go-xla asks a CPU for products of float32, behind barriers.
func times16(a, b *Node, ofA, ofB int, out dtypes.DType) *Node {
	return Dot(inShort(a), inShort(b)).WithAccumulatorDType(dtypes.BFloat16).WithOutputDType(out).
		General([]int{ofA}, nil, []int{ofB}, nil)
}

func inShort(x *Node) *Node { return ConvertDType(x, dtypes.BFloat16) }
