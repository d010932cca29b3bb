package xla

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// tiny is a config whose steps are quick; one shard, as on an accelerator.
func tiny(model string, change func(c *train.Config)) train.Config {
	c := train.Default(model)
	c.Net = small(c.Net)
	c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Loss.Beta = 3, 9, 9, 1
	c.Train.Shards, c.Train.Steps = 1, 10
	if c.IsPeer() {
		c.Peer.Width, c.Peer.Inducing, c.Peer.Heads = 16, 4, 2
	}
	if change != nil {
		change(&c)
	}
	return c
}

func balance(name, flows string) func(c *train.Config) {
	return func(c *train.Config) {
		c.Loss.Balance, c.Loss.Flows = name, flows
		if flows == losses.FlowsFree {
			c.Loss.Delta = 0
		}
	}
}

// trainings lists what a training may compile: every objective, every network, every peer.
func trainings() map[string]train.Config {
	return map[string]train.Config{
		"gfncp data":    tiny(train.GFNCP, nil),
		"gfncp explore": tiny(train.GFNCP, func(c *train.Config) { c.Loss.Beta = 0 }),
		"gfncp warm-up": tiny(train.GFNCP, func(c *train.Config) { c.Train.WarmupSteps = 5 }),
		"gfncp sum, clamped": tiny(train.GFNCP, func(c *train.Config) {
			c.Loss.Normalize, c.Loss.MCEpsilon, c.Loss.NLLWeight = losses.Sum, 1e-5, 0.5
		}),
		"db":              tiny(train.GFNCP, balance(losses.DB, "")),
		"tb":              tiny(train.GFNCP, balance(losses.TB, "")),
		"subtb":           tiny(train.GFNCP, balance(losses.SubTB, losses.FlowsFree)),
		"free flows":      tiny(train.GFNCP, func(c *train.Config) { c.Loss = losses.FreeFlows() }),
		"ncp":             tiny(train.NCP, nil),
		"online":          tiny(train.GFNCP, func(c *train.Config) { c.Net.Online = true }),
		"extended":        tiny(train.NCP, func(c *train.Config) { c.Net.Extended = true }),
		"extended online": tiny(train.NCP, func(c *train.Config) { c.Net.Extended, c.Net.Online = true, true }),
		"st":              tiny("st", nil),
		"dac min":         tiny("dac", func(c *train.Config) { c.Peer.Variant = peers.MinFilter }),
		"dac":             tiny("dac", func(c *train.Config) { c.Peer.Variant = peers.Anchored }),
		"ccp":             tiny("ccp", nil),
	}
}

// A validation and two optimizer steps of every training give the Go backend's losses, terms and gradient norms. The
// second step's follow from the first one's update, whose signs are those of the gradient: one near zero may flip, so
// less is asked there.
func TestTraining(t *testing.T) {
	for name, c := range trainings() {
		t.Run(name, func(t *testing.T) { compareTraining(t, c, 1e-4, 3e-3) })
	}
}

func compareTraining(t *testing.T, c train.Config, first, second float64) {
	t.Helper()
	defer gradientsAddInOrder(t)
	device := must.M1(train.New(plugin(t, ""), sources.Source, c))
	host := must.M1(train.New(enginetest.Go(), sources.Source, c))
	held := must.M1(must.M1(sources.Source(c.Data)).Batch(7, 0))
	near(t, "validation loss", must.M1(device.Loss(held)), must.M1(host.Loss(held)), first)
	for step, tolerance := range []float64{first, second} {
		got := must.M1(device.Advance())
		want := must.M1(host.Advance())
		if got.Kind != want.Kind || len(got.Terms) != len(want.Terms) {
			t.Errorf("step %d: kind %s, terms %v; want %s, %v", step, got.Kind, got.Terms, want.Kind, want.Terms)
		}
		near(t, fmt.Sprintf("step %d, loss", step), got.Loss, want.Loss, tolerance)
		near(t, fmt.Sprintf("step %d, gradient norm", step), got.GradNorm, want.GradNorm, 10*tolerance)
		for term, value := range want.Terms {
			near(t, fmt.Sprintf("step %d, %s", step, term), got.Terms[term], value, tolerance)
		}
		if want.GradNorm < 1e-3 {
			t.Errorf("step %d: a gradient of norm %g shows nothing", step, want.GradNorm)
		}
	}
}

// gradientsAddInOrder fails where a gradient that XLA got so far adds up by a scatter: a card does so by atomic
// operations, in another order each time, so that the same config would give other bytes.
func gradientsAddInOrder(t *testing.T) {
	t.Helper()
	if t.Skipped() { // no plugin
		return
	}
	texts := must.M1(filepath.Glob(filepath.Join(dumps, "*gradient_of*before_optimizations.txt")))
	for _, path := range texts {
		if count := strings.Count(string(must.M1(os.ReadFile(path))), " scatter("); count > 0 {
			t.Errorf("%s has %d scatters", filepath.Base(path), count)
		}
	}
	if len(texts) == 0 {
		t.Error("no gradient was compiled")
	}
}

// Steps on images: the convolutional encoder with dropout, on images that stay on the device.
func TestTrainingOnImages(t *testing.T) {
	path := testfiles.Images(t)
	for _, model := range []string{train.GFNCP, train.NCP, "ccp"} {
		c := train.DefaultOn(model, data.SourceFile)
		c.Net = small(c.Net)
		c.Data.Path, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Shards = path, 2, 6, 6, 1
		if c.IsPeer() {
			c.Peer.Width, c.Peer.Inducing, c.Peer.Heads = 16, 4, 2
		}
		t.Run(model, func(t *testing.T) { compareTraining(t, c, 2e-3, 2e-2) })
	}
}
