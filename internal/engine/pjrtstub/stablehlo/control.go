package stablehlo

import (
	"fmt"
	"slices"
)

func controlOps() map[string]spec {
	return map[string]spec{
		"return": {operands: -1, pointwise: true, infer: func(*Op) ([]Type, error) { return nil, nil }},
		"while":  {operands: -1, regions: 2, infer: inferWhile, run: runWhile},
		"if":     {operands: 1, regions: 2, infer: inferIf, run: runIf},
		"call":   {operands: -1, required: []string{"callee"}, run: runCall},
	}
}

var predicate = []Type{{DType: I1}}

func inferWhile(o *Op) ([]Type, error) {
	cond, body := o.Regions[0], o.Regions[1]
	switch {
	case !equalTypes(cond.ParamTypes, o.InTypes) || !equalTypes(cond.returned(), predicate):
		return nil, fmt.Errorf("its condition takes %v and returns %v", cond.ParamTypes, cond.returned())
	case !equalTypes(body.ParamTypes, o.InTypes) || !equalTypes(body.returned(), o.InTypes):
		return nil, fmt.Errorf("its body takes %v and returns %v", body.ParamTypes, body.returned())
	}
	return o.InTypes, nil
}

func runWhile(e *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	for {
		again, err := e.region(o.Regions[0], in)
		if err != nil || again[0].Data[0] == 0 {
			return in, err
		}
		if in, err = e.region(o.Regions[1], in); err != nil {
			return nil, err
		}
	}
}

func inferIf(o *Op) ([]Type, error) {
	yes, no := o.Regions[0], o.Regions[1]
	if !equalTypes(o.InTypes, predicate) || len(yes.Params)+len(no.Params) > 0 ||
		!equalTypes(yes.returned(), no.returned()) {
		return nil, fmt.Errorf("its branches return %v and %v", yes.returned(), no.returned())
	}
	return yes.returned(), nil
}

func runIf(e *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	branch := o.Regions[1]
	if in[0].Data[0] != 0 {
		branch = o.Regions[0]
	}
	return e.region(branch, nil)
}

// checkCall checks a call of a function that stands before.
func checkCall(p *Program, o *Op) error {
	name, err := attr[string](o, "callee")
	if err != nil {
		return err
	}
	f := p.Funcs[name]
	if f == nil {
		return fmt.Errorf("function %s does not stand before its call", name)
	}
	if !equalTypes(f.Params(), o.InTypes) || !slices.EqualFunc(f.Results, o.OutTypes, Type.Equal) {
		return fmt.Errorf("function %s takes %v and returns %v, not %v and %v",
			name, f.Params(), f.Results, o.InTypes, o.OutTypes)
	}
	return nil
}

func runCall(e *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	return e.program.call(e.program.Funcs[o.Attrs["callee"].(string)], in)
}
