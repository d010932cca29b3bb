package stablehlo

import (
	"fmt"
	"strconv"
	"strings"
)

// An attribute is one of
//
//	int, bool, string    2 : i64, true, "text"; @name without its @ (a string)
//	[]int                [1, 2] and array<i64: 1, 2>
//	[]string             a list of words: [#stablehlo<precision HIGHEST>, …]
//	enum                 what an enumeration holds: #stablehlo<comparison_type FLOAT> is "FLOAT"
//	*Tensor              dense<…> : tensor<…>
//	map[string]any       #stablehlo.gather<offset_dims = [0], …>
//	convolution          #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
type enum string // a word

// attributes reads { name = value, … } if there are any.
func (p *parser) attributes() map[string]any {
	attrs := map[string]any{}
	if !p.accept("{") {
		return attrs
	}
	for !p.accept("}") {
		name := strings.Trim(p.next(), `"`)
		p.want("=")
		if _, found := attrs[name]; found {
			p.fail("attribute %s stands twice", name)
		}
		attrs[name] = p.attribute()
		if p.peek() != "}" {
			p.want(",")
		}
	}
	return attrs
}

func (p *parser) attribute() any {
	t := p.peek()
	switch {
	case t == "dense":
		return p.dense()
	case t == "array":
		return p.array()
	case t == "[":
		return p.list()
	case t == "true" || t == "false":
		return p.next() == "true"
	case strings.HasPrefix(t, `"`):
		return strings.Trim(p.next(), `"`)
	case strings.HasPrefix(t, "@"):
		return p.next()[1:]
	case t == "#stablehlo":
		return p.enumeration()
	case t == "#stablehlo.conv":
		return p.convolution()
	case strings.HasPrefix(t, "#stablehlo."):
		p.next()
		return p.record()
	default:
		return p.integer()
	}
}

// integer reads 2 : i64.
func (p *parser) integer() int {
	n := p.int()
	if p.accept(":") {
		p.next()
	}
	return n
}

func (p *parser) int() int {
	text := p.next()
	n, err := strconv.Atoi(text)
	if err != nil {
		p.fail("%q is no integer", text)
	}
	return n
}

// enumeration reads #stablehlo<kind VALUE>.
func (p *parser) enumeration() enum {
	p.want("#stablehlo")
	p.want("<")
	p.next() // which enumeration
	value := p.next()
	p.want(">")
	return enum(value)
}

// array reads array<i64: 1, 2>; booleans are 0 and 1.
func (p *parser) array() []int {
	p.want("array")
	p.want("<")
	p.next() // the element's type
	ints := []int{}
	if p.accept(":") {
		for {
			switch p.peek() {
			case "true", "false":
				value := 0
				if p.next() == "true" {
					value = 1
				}
				ints = append(ints, value)
			default:
				ints = append(ints, p.int())
			}
			if !p.accept(",") {
				break
			}
		}
	}
	p.want(">")
	return ints
}

// list reads [1, 2] or a list of enumerations.
func (p *parser) list() any {
	p.want("[")
	if p.peek() == "#stablehlo" {
		words := []string{}
		for !p.accept("]") {
			words = append(words, string(p.enumeration()))
			p.accept(",")
		}
		return words
	}
	ints := []int{}
	for !p.accept("]") {
		ints = append(ints, p.int())
		if p.peek() != "]" {
			p.want(",")
		}
	}
	return ints
}

// record reads <name = value, …>, whose values are integers, lists, booleans or types of elements.
func (p *parser) record() map[string]any {
	fields := map[string]any{}
	p.want("<")
	for !p.accept(">") {
		name := p.next()
		p.want("=")
		switch t := p.peek(); {
		case t == "[":
			fields[name] = p.list()
		case t == "true" || t == "false":
			fields[name] = p.next() == "true"
		case t != "" && t[0] >= '0' && t[0] <= '9':
			fields[name] = p.int()
		default:
			fields[name] = enum(p.next())
		}
		if p.peek() != ">" {
			p.want(",")
		}
	}
	return fields
}

// axes are the roles of the axes of a convolution's operand or result: 'b', 'f', 'i', 'o' or the number of a spatial
// axis, as text.
type axes []string

// convolutionAxes are those of the input, the kernel and the result.
type convolutionAxes struct{ input, kernel, output axes }

func (p *parser) convolution() convolutionAxes {
	p.want("#stablehlo.conv")
	p.want("<")
	read := func() (roles axes) {
		p.want("[")
		for !p.accept("]") {
			roles = append(roles, p.next())
			p.accept(",")
		}
		return roles
	}
	c := convolutionAxes{input: read()}
	p.want("x")
	c.kernel = read()
	p.want("->")
	c.output = read()
	p.want(">")
	return c
}

// Getters: a missing attribute or one of another kind is a fault of the program.

func attr[T any](o *Op, name string) (T, error) {
	v, ok := o.Attrs[name].(T)
	if !ok {
		return v, fmt.Errorf("attribute %s is %v, which is no %T", name, o.Attrs[name], v)
	}
	return v, nil
}

// ints returns an attribute that is a list of integers; one that checkAttributes let pass is there.
func (o *Op) ints(name string) []int {
	v, _ := o.Attrs[name].([]int)
	return v
}

// field returns a list of integers out of a record.
func (o *Op) field(record, name string) []int {
	fields, _ := o.Attrs[record].(map[string]any)
	v, _ := fields[name].([]int)
	return v
}

// fieldInt returns an integer out of a record.
func (o *Op) fieldInt(record, name string) int {
	fields, _ := o.Attrs[record].(map[string]any)
	v, _ := fields[name].(int)
	return v
}
