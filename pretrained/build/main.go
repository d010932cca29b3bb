// Command build turns a finished training run into an embedded model: it evaluates the run's best weights on held-out
// sets and writes them, with the model card, to pretrained/weights.
//
//	gfncp train --config pretrained/configs/mog-gfncp-warm.toml --out runs/mog-gfncp-warm
//	gfncp train --config pretrained/configs/mog-gfncp.toml --out runs/mog-gfncp      starts from the run above
//	go run ./pretrained/build runs/mog-gfncp mog-gfncp "processor, 2 cores"
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

const (
	testSets = 500
	sdppSets = 300
	testSeed = 20250503
)

func main() {
	must.M(engine.Prepare())
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: build RUN NAME MACHINE")
		os.Exit(2)
	}
	run, name, machine := os.Args[1], os.Args[2], os.Args[3]
	m := must.M1(train.ReadModel(train.BestPath(run)))
	result := must.M1(train.ReadResult(run))
	choice := must.M1(engine.Choose("go"))
	backend := must.M1(choice.Open())
	defer backend.Finalize()
	net := must.M1(models.NewNetwork(backend, m.Config.Net, m.Params))
	m.Card.Name, m.Card.Machine, m.Card.Backend = name, machine, choice.Config
	m.Card.Commit = strings.TrimSpace(string(must.M1(exec.Command("git", "rev-parse", "--short=12", "HEAD").Output())))
	m.Card.Metrics = measure(net)
	m.Card.Notes = []string{
		fmt.Sprintf("weights of step %d of %d; the whole run took %.0f s, beside other work on the machine", result.BestStep, result.Steps, result.Seconds),
		fmt.Sprintf("held-out mixtures of Gaussians, greedy decoding, %d sets each; SDPP: %d sets, 500 orders each; MC on the true labels", testSets, sdppSets),
	}
	out := filepath.Join("pretrained", "weights", name+".safetensors")
	must.M(train.WriteModel(out, m))
	fmt.Println(out, m.Card.Metrics)
}

// measure evaluates a network on the sets that the model card names.
func measure(net *models.Network) map[string]float64 {
	found := map[string]float64{}
	for _, where := range []struct {
		alpha  float64
		points int
	}{{1, 100}, {6, 300}} {
		suffix := fmt.Sprintf("_alpha%g_n%d", where.alpha, where.points)
		q := must.M1(experiments.Evaluate(net, source(where.alpha, where.points), testSeed, testSets))
		found["nmi"+suffix], found["ari"+suffix], found["mc"+suffix] = q.NMI, q.ARI, q.MC
		found["mc_last"+suffix], found["mc_eps"+suffix] = q.MCLast, q.MCEps
		found["log_prob"+suffix] = q.LogProb
		found[fmt.Sprintf("sdpp_alpha%g_n%d", where.alpha, experiments.SDPPPoints)] = must.M1(experiments.MeanSDPP(net, source(where.alpha, experiments.SDPPPoints), testSeed, sdppSets))
	}
	return found
}

// source yields held-out sets of a fixed size.
func source(alpha float64, points int) *data.MoG {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 16, points, points, alpha, alpha, "test"
	return must.M1(data.NewMoG(c))
}
