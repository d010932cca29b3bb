package stablehlo

import (
	"fmt"
	"maps"
	"slices"
)

// kernel computes an operation's results from its operands.
type kernel func(e *execution, o *Op, in []*Tensor) ([]*Tensor, error)

// spec is what is known of an operation.
type spec struct {
	operands  int      // how many; −1 if that differs
	regions   int      // how many
	required  []string // attributes that must be there
	optional  []string // attributes that may be there
	pointwise bool     // element by element: of scalars and tensors alike, so a reduction's region may use it
	infer     func(o *Op) ([]Type, error)
	run       kernel
}

// kernels lists the operations by name.
var kernels map[string]spec

func init() {
	kernels = map[string]spec{}
	for _, group := range []map[string]spec{
		unaryOps(), binaryOps(), selectOps(), layoutOps(), sliceOps(), dotOps(), convolutionOps(), gatherOps(),
		scatterOps(), reduceOps(), sortOps(), randomOps(), controlOps(),
	} {
		maps.Copy(kernels, group)
	}
}

func lookup(o *Op) (spec, error) {
	name := o.Name
	s, found := kernels[name]
	if !found {
		return s, fmt.Errorf("the interpreter lacks this operation")
	}
	return s, nil
}

// check compares an operation with its spec: numbers of operands and regions, names of attributes, types of results.
func (s spec) check(p *Program, o *Op) error {
	if s.operands >= 0 && len(o.In) != s.operands {
		return fmt.Errorf("it has %d operands, not %d", len(o.In), s.operands)
	}
	if len(o.Regions) != s.regions {
		return fmt.Errorf("it has %d regions, not %d", len(o.Regions), s.regions)
	}
	for _, name := range s.required {
		if _, found := o.Attrs[name]; !found {
			return fmt.Errorf("attribute %s is missing", name)
		}
	}
	for name := range o.Attrs {
		if !slices.Contains(s.required, name) && !slices.Contains(s.optional, name) {
			return fmt.Errorf("attribute %s is not known", name)
		}
	}
	if o.Name == "call" {
		return checkCall(p, o)
	}
	want, err := s.infer(o)
	if err != nil {
		return err
	}
	if !equalTypes(want, o.OutTypes) {
		return fmt.Errorf("its results are %v, and are said to be %v", want, o.OutTypes)
	}
	return nil
}

// Small helpers of checks.

// differ is the fault of operands whose types do not go together.
func differ(o *Op) error { return fmt.Errorf("operands %v do not go together", o.InTypes) }

// axesOf checks that a list holds distinct axes of a rank.
func axesOf(what string, list []int, rank int) error {
	seen := map[int]bool{}
	for _, a := range list {
		if a < 0 || a >= rank || seen[a] {
			return fmt.Errorf("%s %v are no distinct axes of rank %d", what, list, rank)
		}
		seen[a] = true
	}
	return nil
}

// without returns the numbers below n that are in none of the lists.
func without(n int, lists ...[]int) (rest []int) {
	for i := range n {
		if !slices.Contains(slices.Concat(lists...), i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// pick returns the elements of list at the places of at.
func pick(list, at []int) []int {
	out := make([]int, len(at))
	for i, a := range at {
		out[i] = list[a]
	}
	return out
}
