package main

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

const (
	halvingSets = 200
	mostChange  = 0.002 // of the mean NMI and ARI on the same sets
)

// halveAll rounds shipped models to half precision, one after another. A model whose quality changes by more than
// mostChange on held-out sets stays as it is, and the command ends with status 1.
func halveAll(names []string) {
	choice := must.M1(engine.Choose("go"))
	backend := must.M1(choice.Open())
	defer backend.Finalize()
	for _, name := range names {
		if err := halve(backend, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func halve(backend compute.Backend, name string) error {
	path := shippedPath(name)
	whole, halved := must.M1(train.ReadModel(path)), must.M1(train.ReadModel(path))
	if whole.Half {
		return fmt.Errorf("%s is in half precision already", path)
	}
	must.M(halved.Halve())
	where := settings(whole.Config.Data)[0]
	judge := func(m *train.Model) evaluation.Quality {
		return must.M1(evaluation.Model(context.Background(), backend, m,
			source(m.Config.Data, where), testSeed, halvingSets))
	}
	before, after := judge(whole), judge(halved)
	if math.Abs(after.NMI-before.NMI) > mostChange || math.Abs(after.ARI-before.ARI) > mostChange {
		return fmt.Errorf("%s: NMI and ARI on %d sets are %.4f and %.4f, in half precision %.4f and %.4f",
			path, halvingSets, before.NMI, before.ARI, after.NMI, after.ARI)
	}
	halved.Card.Notes = append(halved.Card.Notes, fmt.Sprintf(
		"weights rounded to half precision after its numbers were measured: on %d sets NMI %.4f and ARI %.4f before, "+
			"%.4f and %.4f after", halvingSets, before.NMI, before.ARI, after.NMI, after.ARI))
	must.M(train.WriteModel(path, halved))
	fmt.Println(path, halved.Card.Notes[len(halved.Card.Notes)-1])
	return nil
}
