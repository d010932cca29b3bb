// Command peers is the Go program of a comparison with JAX and PyTorch (rounds.py, which builds and starts it).
//
// "peers BACKEND WORK" opens a work, prints a line that says what runs, calls the work once for each line on standard
// input, and prints the number of clusters that the call found. "peers BACKEND handover FILE" writes what the other
// programs get: batches, weights, and the Go program's own results, with which theirs must agree.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/internal/engine"
	_ "github.com/gfncp/gfncp/pretrained"
	"github.com/gfncp/gfncp/train"
)

// batchShape is the shape of a training step and of the batch that is decoded.
var batchShape = benchmarks.Shape{Sets: 64, Points: 75, Clusters: 4}

// decodings are the works that decode greedily, by name.
var decodings = map[string]benchmarks.Shape{
	"decode-batch": batchShape,
	"decode-6":     {Sets: 1, Points: 1000, Clusters: 6},
	"decode-50":    {Sets: 1, Points: 1000, Clusters: 50},
}

func main() {
	log.SetFlags(0)
	defer func() {
		if err := recover(); err != nil { // of must
			log.Fatal("peers: ", err)
		}
	}()
	must.M(engine.Prepare())
	args := os.Args[1:]
	if len(args) < 2 {
		log.Fatal("usage: peers BACKEND WORK, or peers BACKEND handover FILE")
	}
	backend := must.M1(must.M1(engine.Choose(args[0])).Open())
	if args[1] == "handover" && len(args) == 3 {
		handover(backend, args[2])
		return
	}
	call := must.M1(work(args[1]).Open(backend))
	fmt.Println(versions())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(must.M1(call()))
	}
	must.M(lines.Err())
}

// versions names Go and GoMLX as they were linked.
func versions() string {
	text := strings.Fields(runtime.Version())[0]
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/gomlx/gomlx" {
			text += ", GoMLX " + module.Version
		}
	}
	return text
}

// work is "step-gfncp", "step-ncp", or one of decodings. A call returns the mean K of the sets that it decoded, or of a
// step's negative sample.
func work(name string) benchmarks.Work {
	if shape, ok := decodings[name]; ok {
		return benchmarks.Decode(train.GFNCP, shape)
	}
	model, ok := strings.CutPrefix(name, "step-")
	if !ok {
		log.Fatalf("peers: no work is called %q", name)
	}
	return benchmarks.Step(name, batchShape.On(train.Default(model)))
}
