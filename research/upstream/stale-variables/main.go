// Command stalevariables shows that GoMLX v0.28.15 and v0.28.16 compute with old values of variables on the Go backend.
//
// A graph that is not marked as training embeds each variable that has a value as a constant (ml/model/variable.go,
// paramNode; the Go backend has PreferConstantsForVariables since compute v0.1.13). The graph is compiled once, so
// later calls keep the value of the first one:
//
//	counter   a graph that adds 1 to its own variable: expected 1 2 3, seen 1 1 1
//	reader    a graph that reads a variable which is set between its calls: expected 0 1 2, seen 0 0 0
//
// An optimizer in an Exec of its own thus moves the weights by old weights and old moments, without an error. An
// evaluation graph that is kept during a training sees the first weights. Marking the graph as training helps.
//
//	go run .                                                                               # fails
//	go get github.com/gomlx/gomlx@v0.28.14 github.com/gomlx/compute@v0.1.12 && go run .    # passes
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

func main() {
	backend, err := compute.NewWithConfig("go:ops_sequential")
	if err != nil {
		panic(err)
	}
	fail := false
	for _, test := range []struct {
		name     string
		training bool
		want     []float32
	}{{"counter", false, []float32{1, 2, 3}}, {"counter, marked as training", true, []float32{1, 2, 3}}} {
		got := count(backend, test.training)
		fmt.Printf("%s: expected %v, seen %v\n", test.name, test.want, got)
		fail = fail || !slices.Equal(got, test.want)
	}
	if got, want := read(backend), []float32{0, 1, 2}; !slices.Equal(got, want) {
		fmt.Printf("reader: expected %v, seen %v\n", want, got)
		fail = true
	}
	if fail {
		os.Exit(1)
	}
}

// count runs a graph three times that adds 1 to a variable, and returns the results.
func count(backend compute.Backend, training bool) []float32 {
	store := model.NewStore()
	v := store.RootScope().VariableWithValue("v", float32(0))
	add := model.MustNewExec(backend, store, func(scope *model.Scope, one *Node) *Node {
		scope.SetTraining(one.Graph(), training)
		v.SetNodeValue(Add(v.NodeValue(one.Graph()), one))
		return v.NodeValue(one.Graph())
	})
	return times(func() float32 { return tensors.ToScalar[float32](add.MustCall(float32(1))[0]) })
}

// read runs a graph three times that reads a variable, and sets the variable to 1 and 2 in between.
func read(backend compute.Backend) []float32 {
	store := model.NewStore()
	v := store.RootScope().VariableWithValue("v", float32(0))
	get := model.MustNewExec(backend, store, func(_ *model.Scope, zero *Node) *Node {
		return Add(v.NodeValue(zero.Graph()), zero)
	})
	next := float32(0)
	return times(func() float32 {
		v.MustSetValue(tensors.FromScalar(next))
		next++
		return tensors.ToScalar[float32](get.MustCall(float32(0))[0])
	})
}

func times(f func() float32) []float32 { return []float32{f(), f(), f()} }
