package stablehlo

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads and checks a program. An error names the line and the operation.
func Parse(text string) (program *Program, err error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, program: &Program{Funcs: map[string]*Func{}}}
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case fault:
			program, err = nil, caught
		default:
			panic(caught)
		}
	}()
	p.module()
	return p.program, nil
}

// fault is how the parser gives up; it does not leave this package but as an error.
type fault struct{ error }

type parser struct {
	tokens  []token
	at      int
	program *Program
	fn      *Func
	scope   *scope
}

// scope holds the values that operations of a region may use, its own and those around it.
type scope struct {
	outer *scope
	names map[string]int
	types map[string]Type
}

func (p *parser) fail(format string, args ...any) {
	panic(fault{fmt.Errorf("line %d: %s", p.tokens[p.at].line, fmt.Sprintf(format, args...))})
}

func (p *parser) peek() string { return p.tokens[p.at].text }

func (p *parser) next() string {
	t := p.tokens[p.at].text
	if t == "" {
		p.fail("the program ends too early")
	}
	p.at++
	return t
}

func (p *parser) accept(text string) bool {
	if p.peek() != text {
		return false
	}
	p.at++
	return true
}

func (p *parser) want(text string) {
	if !p.accept(text) {
		p.fail("%q stands where %q is wanted", p.peek(), text)
	}
}

// module reads module @name attributes {…} { func… }.
func (p *parser) module() {
	p.want("module")
	p.program.Name = strings.TrimPrefix(p.next(), "@")
	if p.accept("attributes") {
		p.attributes()
	}
	p.want("{")
	for !p.accept("}") {
		p.function()
	}
	if p.peek() != "" {
		p.fail("%q stands after the module", p.peek())
	}
	if p.program.Main() == nil {
		p.fail("there is no function @main")
	}
}

// function reads func.func @name(%a: type, …) -> type { operations }.
func (p *parser) function() {
	p.want("func.func")
	p.fn = &Func{Name: strings.TrimPrefix(p.next(), "@")}
	if p.program.Funcs[p.fn.Name] != nil {
		p.fail("function %s stands twice", p.fn.Name)
	}
	p.open()
	body := &Region{}
	p.parameters(body)
	p.want("->")
	if p.accept("(") {
		for !p.accept(")") {
			p.fn.Results = append(p.fn.Results, p.typ())
			p.attributes()
			p.accept(",")
		}
	} else {
		p.fn.Results = append(p.fn.Results, p.typ())
	}
	p.want("{")
	p.operations(body)
	p.want("}")
	p.scope = p.scope.outer
	if !equalTypes(body.returned(), p.fn.Results) {
		p.fail("function %s returns %v and says %v", p.fn.Name, body.returned(), p.fn.Results)
	}
	p.fn.Body = body
	forget(body)
	p.program.Funcs[p.fn.Name] = p.fn
}

func (p *parser) open() { p.scope = &scope{p.scope, map[string]int{}, map[string]Type{}} }

// parameters reads (%a: type, …).
func (p *parser) parameters(r *Region) {
	p.want("(")
	for !p.accept(")") {
		name := p.next()
		p.want(":")
		t := p.typ()
		p.attributes()
		r.Params = append(r.Params, p.define(name, t))
		r.ParamTypes = append(r.ParamTypes, t)
		p.accept(",")
	}
}

// define makes a name known; one that is visible already is a fault.
func (p *parser) define(name string, t Type) int {
	if !strings.HasPrefix(name, "%") {
		p.fail("%q is no value", name)
	}
	for s := p.scope; s != nil; s = s.outer {
		if _, found := s.names[name]; found {
			p.fail("value %s is defined twice", name)
		}
	}
	p.scope.names[name], p.scope.types[name] = p.fn.Values, t
	p.fn.Values++
	return p.fn.Values - 1
}

// use finds a value and its type.
func (p *parser) use(name string) (int, Type) {
	for s := p.scope; s != nil; s = s.outer {
		if v, found := s.names[name]; found {
			return v, s.types[name]
		}
	}
	p.fail("value %s is not defined here", name)
	return 0, Type{}
}

// mostElements is the largest tensor that is accepted; mostWritten the largest one that a constant may fill.
const (
	mostElements = 1 << 34
	mostWritten  = 1 << 26
)

// typ reads tensor<2x3xf32>.
func (p *parser) typ() Type {
	p.want("tensor")
	p.want("<")
	text := p.next()
	p.want(">")
	parts := strings.Split(text, "x")
	t, size := Type{Dims: make([]int, len(parts)-1)}, 1
	for i, part := range parts[:len(parts)-1] {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			p.fail("tensor<%s> has no fixed dimensions", text)
		}
		t.Dims[i] = n
		if size *= n; n > mostElements || size > mostElements {
			p.fail("tensor<%s> is larger than this interpreter's %d elements", text, mostElements)
		}
	}
	for d := range dtypes {
		if dtypes[d].name == parts[len(parts)-1] {
			t.DType = DType(d)
			return t
		}
	}
	p.fail("element type %s is not known", parts[len(parts)-1])
	return t
}

// types reads type or (type, …).
func (p *parser) types() (ts []Type) {
	if !p.accept("(") {
		return []Type{p.typ()}
	}
	for !p.accept(")") {
		ts = append(ts, p.typ())
		if p.peek() != ")" {
			p.want(",")
		}
	}
	return ts
}

func equalTypes(a, b []Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}
