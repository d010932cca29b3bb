// Command build takes the encoder out of a finished run, centres it on the images of its training half, and writes it,
// in half precision, for a split's features.
//
//	gfncp train --config experiments/classes/encoder.toml --set data.source=classes2-images --out runs/encoder2
//	go run ./experiments/classes/build runs/encoder2 2 "processor, 2 cores"
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments/classes"
	"github.com/gfncp/gfncp/train"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: build RUN SPLIT MACHINE")
		os.Exit(2)
	}
	run, split, machine := os.Args[1], must.M1(strconv.Atoi(os.Args[2])), os.Args[3]
	m := must.M1(train.ReadModel(train.BestPath(run)))
	if want := classes.ImagesName(split); m.Config.Data.Source != want {
		fmt.Fprintf(os.Stderr, "%s was trained on %s, not on %s\n", run, m.Config.Data.Source, want)
		os.Exit(1)
	}
	m.Card.Name, m.Card.Machine, m.Card.Backend = classes.Name(split), machine, "go"
	encoder := must.M1(classes.EncoderOf(m))
	must.M(encoder.Center(must.M1(sources.PoolOf(m.Config.Data)).X))
	path := filepath.Join("experiments", "classes", "encoders", classes.Name(split)+".safetensors")
	must.M(encoder.Write(path))
	fmt.Println(path, encoder.Card.Steps, "steps")
}
