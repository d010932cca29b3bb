// Command firstcalls shows a race of GoMLX's Go backend (compute v0.1.12, GOEXPERIMENT=simd) between the first calls of
// one compiled graph: "invalid memory address or nil pointer dereference" in execMul.
//
// execMulSIMD asks canExecuteBinarySIMD unless node.IsExecutorCached(). That is also true when another goroutine has
// just cached the plain executor of the node, because SIMD code does not take its broadcast. Then execMulSIMD goes on,
// gives the owned operand away (inputs[0] = nil), dispatchBinarySIMD returns ErrFallback, and the plain executor finds
// nil. Expected: no output. Seen: the error, in one of some thousand graphs.
//
//	GOEXPERIMENT=simd go run .
package main

import (
	"fmt"
	"os"
	"sync"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func main() {
	backend, err := compute.NewWithConfig("go:ops_sequential")
	if err != nil {
		panic(err)
	}
	x := tensors.FromFlatDataAndDimensions(make([]float32, 2*3*4*5), 2, 3, 4, 5)
	y := tensors.FromFlatDataAndDimensions(make([]float32, 3*5), 1, 3, 1, 5)
	for range 20_000 {
		exec, err := graph.NewExec(backend, func(x, y *graph.Node) *graph.Node {
			for range 40 {
				x = graph.Mul(graph.AddScalar(x, 1), y) // broadcasts axes 0 and 2 of y
			}
			return x
		})
		if err != nil {
			panic(err)
		}
		var calls sync.WaitGroup
		for range 6 {
			calls.Go(func() {
				if _, err := exec.Call(x, y); err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
			})
		}
		calls.Wait()
	}
}
