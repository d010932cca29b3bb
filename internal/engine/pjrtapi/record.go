package pjrtapi

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
)

// Program is what XLA is to compile: the text or bytes of a format ("mlir"), and a serialized CompileOptionsProto.
type Program struct{ Format, Code, Options string }

// Name is that of the program's module, with spaces as its builder was given them, and without its number.
func (p Program) Name() string {
	match := moduleName.FindStringSubmatch(p.Code)
	if match == nil {
		return "?"
	}
	return strings.Trim(strings.ReplaceAll(match[1], "_", " "), " ")
}

// body is the program without its module's name, in which a number counts compilations.
func (p Program) body() string {
	_, body, _ := strings.Cut(p.Code, "{\n")
	return body
}

// Same returns what is equal in equal programs: the program without its module's name.
func (p Program) Same() Program { return Program{Format: p.Format, Code: p.body(), Options: p.Options} }

// Input tells sizes apart: the type of the main function's first argument that is a matrix of whole numbers, such as
// labels, "64x512xi32"; else the first of three or more dimensions, "64x512x2xf32"; else the one of the most elements.
func (p Program) Input() string {
	_, rest, _ := strings.Cut(p.Code, "func.func @main(")
	line, _, _ := strings.Cut(rest, ") -> ")
	deep, largest, most := "", "", -1
	for _, match := range typeOf.FindAllStringSubmatch(line, -1) {
		parts := strings.Split(match[1], "x")
		sizes, kind := parts[:len(parts)-1], parts[len(parts)-1]
		if len(sizes) == 2 && kind == "i32" {
			return match[1]
		}
		if len(sizes) >= 3 && deep == "" {
			deep = match[1]
		}
		count := 1
		for _, size := range sizes {
			n, _ := strconv.Atoi(size)
			count *= n
		}
		if count > most {
			largest, most = match[1], count
		}
	}
	return cmp.Or(deep, largest)
}

// Executable is a program that is compiled for a device that need not be there.
type Executable struct {
	Bytes     []byte // as a plugin of the same version loads it
	Peak      int64  // bytes of the device's memory in use at most, arguments and outputs included
	Temporary int64  // bytes of these that are neither arguments nor outputs
	Optimized []byte // the program as the compiler left it, a HloModuleProtoWithConfig
}

// recorder hears of programs in place of their compilation.
var recorder atomic.Pointer[func(Program) string]

// Record hands each program that is to be compiled from now on to hear, maybe several at once, and compiles for the
// backend a hollow one in its place, which returns zeros of the same shapes. So a run goes through its programs without
// computing them. Where the host asks whether a program has done its work, zeros are no answer: then hear returns
// StableHLO statements that set %r0, the first result; else "". Record lasts until stop is called, and what was
// compiled meanwhile stays hollow.
func Record(hear func(Program) (first string)) (stop func()) {
	recorder.Store(&hear)
	return func() { recorder.Store(nil) }
}

var (
	moduleName = regexp.MustCompile(`module @(\S+?)(?:_\d+)?[ \n]`)
	mainStart  = regexp.MustCompile(`(?m)^ *func\.func @main\(.*\) -> (.*) \{$`)
	typeOf     = regexp.MustCompile(`tensor<([^>]*)>`)
)

// hollow is a program in StableHLO text with the main function's signature, which returns zeros, but for the first
// result where statements for it are given.
func hollow(code, first string) (string, error) {
	found := mainStart.FindStringSubmatchIndex(code)
	module := moduleName.FindStringIndex(code)
	if found == nil || module == nil {
		return "", errors.New("a program is no StableHLO text with a function main")
	}
	heading := code[:strings.Index(code[module[0]:], "\n")+module[0]+1]
	var body, values, types []string
	for i, match := range typeOf.FindAllStringSubmatch(code[found[2]:found[3]], -1) {
		value, is := fmt.Sprintf("%%r%d", i), match[0]
		if i == 0 && first != "" {
			body = append(body, first)
		} else {
			body = append(body, fmt.Sprintf("%s = stablehlo.constant dense<%s> : %s", value, zero(match[1]), is))
		}
		values, types = append(values, value), append(types, is)
	}
	body = append(body, fmt.Sprintf("\"stablehlo.return\"(%s) : (%s) -> ()",
		strings.Join(values, ", "), strings.Join(types, ", ")))
	return heading + code[found[0]:found[1]] + "\n    " + strings.Join(body, "\n    ") + "\n  }\n}\n", nil
}

// zero is a literal of a tensor's type, "64x75xf32".
func zero(shape string) string {
	kind := shape[strings.LastIndex(shape, "x")+1:]
	switch {
	case kind == "i1":
		return "false"
	case strings.Contains(kind, "i"):
		return "0"
	default:
		return "0.0"
	}
}
