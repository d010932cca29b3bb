package pjrtapi

import (
	"regexp"
	"strings"
	"sync"
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

// Made is a program that a plugin has made ready to run.
type Made struct {
	Program  Program
	Seconds  float64 // that this took
	Loaded   bool    // from the cache of compiled programs, in place of being compiled
	Compiled int     // programs that this process has compiled so far
}

var told struct {
	sync.Mutex
	compiled int
	hear     func(Made) // nil: nobody listens
}

// Listen calls hear, in place of an earlier listener, with each program of this process that is compiled or loaded from
// now on, one at a time, until forget is called. A program is made once for each combination of shapes and client.
func Listen(hear func(Made)) (forget func()) {
	set := func(hear func(Made)) {
		told.Lock()
		defer told.Unlock()
		told.hear = hear
	}
	set(hear)
	return func() { set(nil) }
}

func tell(p Program, seconds float64, loaded bool) {
	told.Lock()
	defer told.Unlock()
	if !loaded {
		told.compiled++
	}
	if told.hear != nil {
		told.hear(Made{p, seconds, loaded, told.compiled})
	}
}
