package stablehlo

import (
	"strings"
)

// operations reads operations up to the one that returns.
func (p *parser) operations(r *Region) {
	for {
		o := p.operation()
		r.Ops = append(r.Ops, o)
		if o.Name == "return" {
			return
		}
	}
}

// operation reads %0, %1 = "stablehlo.name"(%a, %b) ({regions}) {attributes} : (types) -> types, and checks it.
func (p *parser) operation() *Op {
	o := &Op{Line: p.tokens[p.at].line}
	var results []string
	for strings.HasPrefix(p.peek(), "%") {
		results = append(results, p.next())
		if !p.accept(",") {
			p.want("=")
		}
	}
	name := strings.Trim(p.next(), `"`)
	dialect, rest, _ := strings.Cut(name, ".")
	if dialect != "stablehlo" && name != "func.call" && name != "chlo.erf" { // which PJRT plugins of XLA lower
		p.fail("operation %s is not of StableHLO", name)
	}
	o.Name = rest
	var operands []string
	p.want("(")
	for !p.accept(")") {
		operands = append(operands, p.next())
		p.accept(",")
	}
	if p.accept("(") {
		for !p.accept(")") {
			o.Regions = append(o.Regions, p.region())
			p.accept(",")
		}
	}
	o.Attrs = p.attributes()
	p.signature(o, operands, results)
	k, err := lookup(o)
	if err == nil {
		err = k.check(p.program, o)
	}
	if err != nil {
		p.at-- // the line of the operation's end
		p.fail("%s: %v", o.Name, err)
	}
	o.run = k.run
	return o
}

// signature reads the types and compares those of the operands with what they were defined as.
func (p *parser) signature(o *Op, operands, results []string) {
	p.want(":")
	o.InTypes = p.types()
	p.want("->")
	o.OutTypes = p.types()
	if len(o.InTypes) != len(operands) || len(o.OutTypes) != len(results) {
		p.fail("%s: %d operands and %d results have %d and %d types",
			o.Name, len(operands), len(results), len(o.InTypes), len(o.OutTypes))
	}
	for i, name := range operands {
		v, t := p.use(name)
		if !t.Equal(o.InTypes[i]) {
			p.fail("%s: operand %s is %v and is said to be %v", o.Name, name, t, o.InTypes[i])
		}
		o.In = append(o.In, v)
	}
	for i, name := range results {
		o.Out = append(o.Out, p.define(name, o.OutTypes[i]))
	}
}

// region reads { ^name(%a: type): operations }.
func (p *parser) region() *Region {
	p.want("{")
	p.open()
	r := &Region{}
	if strings.HasPrefix(p.peek(), "^") {
		p.next()
		p.parameters(r)
		p.want(":")
	}
	p.operations(r)
	p.scope = p.scope.outer
	p.want("}")
	return r
}

// forget notes at each operation of a function's body which values nothing reads any more. Values of inner regions
// live as long as the operation that holds the region.
func forget(body *Region) {
	last := map[int]int{}
	var mark func(r *Region, at int)
	mark = func(r *Region, at int) {
		for i, o := range r.Ops {
			where := at
			if at < 0 {
				where = i
			}
			for _, v := range o.In {
				last[v] = max(last[v], where)
			}
			for _, v := range o.Out {
				last[v] = max(last[v], where)
			}
			for _, inner := range o.Regions {
				mark(inner, where)
			}
		}
	}
	mark(body, -1)
	for v, at := range last {
		body.Ops[at].dead = append(body.Ops[at].dead, v)
	}
}
