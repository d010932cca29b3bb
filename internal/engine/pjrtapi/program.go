package pjrtapi

import (
	"regexp"
	"strings"
)

// Program is the input of XLA's compiler: the text or bytes of a format ("mlir"), and a serialized CompileOptionsProto.
type Program struct{ Format, Code, Options string }

var moduleName = regexp.MustCompile(`module @(\S+?)(?:_\d+)?[ \n]`)

// Name returns the name of the program's module, with the spaces of its builder's name, and without its number.
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
