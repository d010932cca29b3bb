//go:build pjrtstub

package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/gfncp/gfncp/internal/engine/pjrtstub/stablehlo"
)

// run interprets a program, or returns zeros if PJRTSTUB_ZERO is set: a device that costs nothing.
func run(p *stablehlo.Program, args []*stablehlo.Tensor) ([]*stablehlo.Tensor, error) {
	if getenv("PJRTSTUB_ZERO") == "" {
		return p.Run(args)
	}
	results := make([]*stablehlo.Tensor, len(p.Main().Results))
	for i, t := range p.Main().Results {
		results[i] = zero(t)
	}
	for rule := range strings.SplitSeq(getenv("PJRTSTUB_OUTPUTS"), ";") {
		if err := apply(rule, p.Name, args, results); err != nil {
			return nil, err
		}
	}
	return results, nil
}

var zeros sync.Map // type → tensor: nothing changes a tensor, so that one of zeros does for all

func zero(t stablehlo.Type) *stablehlo.Tensor {
	made, found := zeros.Load(t.String())
	if !found {
		made, _ = zeros.LoadOrStore(t.String(), stablehlo.NewTensor(t))
	}
	return made.(*stablehlo.Tensor)
}

// apply fills one result of the programs whose name has a prefix. A rule is PREFIX OUTPUT=WHAT, where WHAT is
//
//	argN    argument N, which has as many elements, or one
//	1 …     a number, in every place
//	cycleM  0, 1 … M−1 again and again along the last axis: labels of M clusters
func apply(rule, name string, args, results []*stablehlo.Tensor) error {
	prefix, rest, found := strings.Cut(rule, " ")
	if !found || !strings.HasPrefix(name, prefix) {
		return nil
	}
	place, what, _ := strings.Cut(rest, "=")
	output, err := strconv.Atoi(place)
	if err != nil || output < 0 || output >= len(results) {
		return fmt.Errorf("PJRTSTUB_OUTPUTS: rule %q has no result of %s", rule, name)
	}
	t := stablehlo.NewTensor(results[output].Type)
	value, err := values(what, t.Type, args)
	if err != nil {
		return fmt.Errorf("PJRTSTUB_OUTPUTS: rule %q: %w", rule, err)
	}
	numbers := make([]float64, t.Type.Size())
	for i := range numbers {
		numbers[i] = value(i)
	}
	t.Fill(numbers)
	results[output] = t
	return nil
}

// values returns what stands at each place of a result.
func values(what string, t stablehlo.Type, args []*stablehlo.Tensor) (func(int) float64, error) {
	if text, found := strings.CutPrefix(what, "arg"); found {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= len(args) || args[n].Type.Size() != t.Size() && args[n].Type.Size() != 1 {
			return nil, fmt.Errorf("%q is no argument of the size of %v", what, t)
		}
		given := args[n].Numbers()
		return func(i int) float64 { return given[i%len(given)] }, nil
	}
	if text, found := strings.CutPrefix(what, "cycle"); found {
		m, err := strconv.Atoi(text)
		if err != nil || m < 1 || len(t.Dims) == 0 {
			return nil, fmt.Errorf("%v cannot count along its last axis by %q", t, what)
		}
		last := t.Dims[len(t.Dims)-1]
		return func(i int) float64 { return float64(i % last % m) }, nil
	}
	number, err := strconv.ParseFloat(what, 64)
	return func(int) float64 { return number }, err
}
