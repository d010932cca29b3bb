// Command weights turns a finished training run into an embedded model: it evaluates the run's best weights, or those
// of a file in the run, such as kept/step-00000300.safetensors (gfncp eval --split valid finds the best), and writes
// them with the model card to pretrained/embedded if the model is there already, else to pretrained/weights.
// Without arguments it only writes the cards and SHA-256 beside them. Of a run on the images of a split of classes it
// takes the encoder, centred on these images, for the split's features (experiments/classes).
//
//	gfncp train --config pretrained/configs/mog-gfncp-warm.toml --out runs/mog-gfncp-warm
//	gfncp train --config pretrained/configs/mog-gfncp.toml --out runs/mog-gfncp      starts from the run above
//	cd research/weights
//	go run . runs/mog-gfncp mog-gfncp "processor, 2 cores"     all paths are those of the clone
//
//	gfncp train --config experiments/classes/encoder.toml --set data.source=classes2-images --out runs/encoder2
//	go run . runs/encoder2 classes2 "processor, 2 cores"
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments/classes"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// clone is the path of the clone's folder.
const clone = "../.."

const (
	testSets = 500
	sdppSets = 300
	testSeed = 20250503
)

func main() {
	must.M(engine.Prepare())
	must.M(os.Chdir(clone))
	if len(os.Args) == 1 {
		writeBeside("pretrained")
		return
	}
	if len(os.Args) != 4 && len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: weights [RUN NAME MACHINE [FILE]]")
		os.Exit(2)
	}
	run, name, machine := os.Args[1], os.Args[2], os.Args[3]
	path := train.BestPath(run)
	if len(os.Args) == 5 {
		path = filepath.Join(run, os.Args[4])
	}
	m, result := modelOf(run, path), must.M1(train.ReadResult(run))
	must.M(m.Halve())            // before it is measured
	m.Config.Train.KeepEvery = 0 // it does not change the weights
	choice := must.M1(engine.Choose("go"))
	backend := must.M1(choice.Open())
	defer backend.Finalize()
	m.Card.Name, m.Card.Machine, m.Card.Backend = name, machine, choice.Config
	if m.Config.Data.Source == name+"-images" {
		encoder := must.M1(classes.EncoderOf(m))
		must.M(encoder.Center(must.M1(sources.PoolOf(m.Config.Data)).X))
		must.M(encoder.Write(filepath.Join("experiments", "classes", "encoders", name+".safetensors"), m))
		return
	}
	m.Card.Commit = strings.TrimSpace(string(must.M1(exec.Command("git", "rev-parse", "--short=12", "HEAD").Output())))
	m.Card.Notes = []string{
		fmt.Sprintf(
			"the last run: weights of step %d of %d; the whole run took %.0f s, beside other work on the machine",
			m.Card.Steps, result.Steps, result.Seconds,
		),
		howMeasured(m), "weights rounded to half precision before these were measured",
	}
	addEarlier(m, m.Config.Train.Init) // before all that takes long, because the file may be missing
	m.Card.Metrics = measure(backend, m)
	out := shippedPath(name)
	must.M(train.WriteModel(out, m))
	writeBeside("pretrained")
	fmt.Println(out, m.Card.Metrics)
}

// shippedPath returns the path of a shipped model, or where a new one goes.
func shippedPath(name string) (path string) {
	for _, shelf := range shelves {
		path = filepath.Join("pretrained", shelf, name+".safetensors")
		if _, err := os.Stat(path); err == nil {
			break
		}
	}
	return path
}

// modelOf returns the weights of a run's file, with the validation loss of their step.
func modelOf(run, path string) *train.Model {
	m := must.M1(train.ReadModel(path))
	must.M(train.Replay(run, train.Listener{Valid: func(v train.Validation) {
		if v.Step == m.Card.Steps {
			m.Card.Loss = v.Loss
		}
	}}))
	return m
}

// addEarlier adds the steps and seconds of the runs before, back to a shipped model: its card, which alone names a
// machine, has counted its own.
func addEarlier(m *train.Model, init string) {
	for init != "" {
		earlier := must.M1(train.ReadModel(init))
		m.Card.Steps += earlier.Card.Steps
		m.Card.Seconds += earlier.Card.Seconds
		m.Card.Notes = append(m.Card.Notes, fmt.Sprintf("started from %s: %d steps, %.0f s, which are counted",
			init, earlier.Card.Steps, earlier.Card.Seconds))
		if init = earlier.Config.Train.Init; earlier.Card.Machine != "" {
			return
		}
	}
}

// setting is a prior and a size of test sets.
type setting struct {
	alpha  float64
	points int
}

// howMeasured says how the numbers of the card were measured.
func howMeasured(m *train.Model) string {
	sets := m.Config.Data.Source + " test images, classes as clusters"
	if m.Config.Data.IsMixture() {
		sets = "mixtures of Gaussians"
	}
	where := fmt.Sprintf("held-out sets (%s), ", sets)
	if m.Config.IsPeer() {
		return fmt.Sprintf("%sthe method's own point estimate, %d sets each", where, testSets)
	}
	return fmt.Sprintf("%sgreedy decoding, %d sets each; SDPP: %d sets, 500 orders each; MC on the true labels",
		where, testSets, sdppSets)
}

// settings returns the test sets on which a model is measured.
func settings(trained data.Config) []setting {
	switch {
	case trained.FixedK > 0:
		return []setting{{0, 100}, {0, 300}}
	case trained.IsMixture():
		return []setting{{1, 100}, {6, 300}}
	}
	return []setting{{1, 100}, {1, 300}}
}

// measure evaluates a model on the sets that its card names.
func measure(backend compute.Backend, m *train.Model) map[string]float64 {
	found := map[string]float64{}
	for _, where := range settings(m.Config.Data) {
		law := fmt.Sprintf("_alpha%g", where.alpha)
		if m.Config.Data.FixedK > 0 {
			law = fmt.Sprintf("_k%d", m.Config.Data.FixedK)
		}
		suffix := fmt.Sprintf("%s_n%d", law, where.points)
		q := must.M1(evaluation.Model(context.Background(), backend, m,
			source(m.Config.Data, where), testSeed, testSets))
		found["nmi"+suffix], found["ari"+suffix] = q.NMI, q.ARI
		if m.Config.IsPeer() {
			continue
		}
		found["mc"+suffix], found["mc_last"+suffix], found["mc_eps"+suffix] = q.MC, q.MCLast, q.MCEps
		found["log_prob"+suffix] = q.LogProb
		key := fmt.Sprintf("sdpp%s_n%d", law, evaluation.SDPPPoints)
		if _, done := found[key]; !done {
			few := setting{where.alpha, evaluation.SDPPPoints}
			net := must.M1(m.Network(backend))
			found[key] = must.M1(evaluation.MeanSDPP(context.Background(),
				net, source(m.Config.Data, few), testSeed, sdppSets))
		}
	}
	// Users get models for many α; models of a single α are only for tables.
	c := m.Config
	if !c.IsPeer() && c.Data.IsMixture() && c.Data.FixedK == 0 && c.Data.AlphaMin < c.Data.AlphaMax {
		calibrate(backend, m, found)
	}
	return found
}

// calibrate adds the distances of a model's probabilities from Gibbs sampling on 40 sets of 100 points of its own
// prior: the total variation of P(K), and the calibration error of co-clustering.
func calibrate(backend compute.Backend, m *train.Model, found map[string]float64) {
	c := data.DefaultMoG().HeldOut(1, 100, 0)
	c.AlphaMin, c.AlphaMax, c.MinK = m.Config.Data.AlphaMin, m.Config.Data.AlphaMax, m.Config.Data.MinK
	law := evaluation.Probabilities{Samples: 100, Network: must.M1(m.Network(backend))}
	exactness := must.M1(law.AgainstGibbs(context.Background(), evaluation.Test{Data: c, Sets: 40, Seed: testSeed}))
	found["k_tv_n100"], found["ece_n100"] = exactness.Scores["TV of K"], exactness.Scores["ECE"]
}

// source yields held-out sets of a fixed size of the kind that a model was trained on.
func source(trained data.Config, where setting) data.Source {
	return must.M1(sources.Source(trained.HeldOut(max(where.alpha, 1), where.points, trained.FixedK)))
}

// shelves are the folders of weights below pretrained.
var shelves = []string{"embedded", "weights"}

// beside returns the files that are generated from the weights, by path: a card for each model, and SHA256SUMS.
func beside(pretrained string) map[string]string {
	found := map[string]string{}
	for _, shelf := range shelves {
		var sums strings.Builder
		for _, path := range must.M1(filepath.Glob(filepath.Join(pretrained, shelf, "*.safetensors"))) {
			found[strings.TrimSuffix(path, ".safetensors")+".md"] = card(must.M1(train.ReadModel(path)))
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(must.M1(os.ReadFile(path))), filepath.Base(path))
		}
		if shelf == "weights" {
			found[filepath.Join(pretrained, "SHA256SUMS")] = sums.String()
		}
	}
	return found
}

func writeBeside(pretrained string) {
	for path, content := range beside(pretrained) {
		must.M(atomicfile.WriteFile(path, []byte(content)))
	}
}

// card is a model's card in Markdown, with the header that model hubs read.
func card(m *train.Model) string {
	var b strings.Builder
	c := m.Card
	b.WriteString("---\nlicense: mit\nlibrary_name: gfncp\n")
	fmt.Fprintf(&b, "tags: [clustering, amortized-inference, %s]\n---\n\n# %s\n\n",
		m.Config.Model, c.Name)
	fmt.Fprintf(&b, "%s network for %s, %d weights. `gfncp describe %s` prints its whole config.\n\n",
		strings.ToUpper(m.Config.Model), subject(m.Config), m.Params.Size(), c.Name)
	fmt.Fprintf(&b, "- trained: %d steps in %.0f s on %s (%s)\n", c.Steps, c.Seconds, c.Machine, c.Backend)
	fmt.Fprintf(&b, "- selected: %s (validation loss %.4g)\n", c.Selected, c.Loss)
	for _, note := range c.Notes {
		fmt.Fprintf(&b, "- note: %s\n", note)
	}
	b.WriteString("\n| held-out metric | value |\n| --- | ---: |\n")
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
		fmt.Fprintf(&b, "| %s | %.4g |\n", name, c.Metrics[name])
	}
	return b.String()
}

// subject names the points that a model clusters.
func subject(c train.Config) string {
	if c.Data.IsImages() {
		return "images (" + c.Data.Source + ")"
	}
	return "points in the plane"
}
