package stablehlo

import "fmt"

// execution is one run of a function.
type execution struct {
	program *Program
	values  []*Tensor
}

// Run executes main with arguments of the types that it declares.
func (p *Program) Run(args []*Tensor) ([]*Tensor, error) { return p.call(p.Main(), args) }

func (p *Program) call(f *Func, args []*Tensor) ([]*Tensor, error) {
	if len(args) != len(f.Params()) {
		return nil, fmt.Errorf("%s.%s has %d parameters, %d arguments were given",
			p.Name, f.Name, len(f.Params()), len(args))
	}
	for i, t := range f.Params() {
		if !args[i].Type.Equal(t) {
			return nil, fmt.Errorf("%s.%s: argument %d is %v, not %v", p.Name, f.Name, i, args[i].Type, t)
		}
	}
	e := &execution{p, make([]*Tensor, f.Values)}
	return e.region(f.Body, args)
}

// region runs a region's operations and returns what it returns.
func (e *execution) region(r *Region, args []*Tensor) ([]*Tensor, error) {
	for i, v := range r.Params {
		e.values[v] = args[i]
	}
	for _, o := range r.Ops {
		in := make([]*Tensor, len(o.In))
		for i, v := range o.In {
			in[i] = e.values[v]
		}
		if o.Name == "return" {
			return in, nil
		}
		out, err := e.compute(o, in)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d, %s: %w", e.program.Name, o.Line, o.Name, err)
		}
		for i, v := range o.Out {
			e.values[v] = out[i]
		}
		for _, v := range o.dead {
			e.values[v] = nil
		}
	}
	return nil, fmt.Errorf("a region does not return")
}

// compute runs one operation; one on bf16 is computed in float32 and rounded at its end.
func (e *execution) compute(o *Op, in []*Tensor) ([]*Tensor, error) {
	if !narrow(o) {
		return o.run(e, o, in)
	}
	wideOp, wideIn := widen(o, in)
	out, err := o.run(e, wideOp, wideIn)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if o.OutTypes[i].DType == BF16 {
			out[i] = rounded(out[i])
		}
	}
	return out, nil
}
