package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// The rules of scoring.
const (
	protocolHonest    = "independent"
	protocolPublished = "published"
)

// evaluated is the output of eval.
type evaluated struct {
	SchemaVersion int    `json:"schema_version"`
	Model         string `json:"model"`
	evaluation.Quality
	MinK     int      `json:"min_k,omitempty"` // bounds on K of the test sets, equal for an exact K
	MaxK     int      `json:"max_k,omitempty"` // 0: no bound
	SDPP     *float64 `json:"sdpp,omitempty"`
	SDPPSets int      `json:"sdpp_sets,omitempty"`
}

// eval scores a model. A fault of its test sets names flags in place of keys of a training.
func eval(c *cli.Context) error {
	err := evaluate(c)
	if fault, ok := errors.AsType[*usererr.Error](err); ok && strings.Contains(fault.Hint, "data.") {
		fault.Hint = "choose other --points, --alpha or --clusters; eval scores against labels; " +
			"gfncp cluster needs none"
		return fault
	}
	return err
}

func evaluate(c *cli.Context) error {
	m, err := root.Find(c.String("model"))
	if err != nil {
		return err
	}
	backend, _, err := openBackend(c)
	if err != nil {
		return err
	}
	where, err := testSets(c, m.Config.Data)
	if err != nil {
		return err
	}
	if err := evaluation.Demand(m.Config, where.Batch, where.NMax); err != nil {
		return err
	}
	source, err := sources.Source(where)
	if err != nil {
		return err
	}
	if c.String("protocol") == protocolPublished {
		return evalPublished(c, backend, m, where, source)
	}
	result := evaluated{SchemaVersion: 1, Model: m.Card.Name, MinK: where.MinK, MaxK: where.MaxK}
	if where.FixedK > 0 {
		result.MinK, result.MaxK = where.FixedK, where.FixedK
	}
	result.Quality, err = evaluation.Model(c.Context, backend, m, source, c.Uint64("seed"), c.Int("sets"))
	if err == nil && c.Int("sdpp") > 0 {
		err = result.addSDPP(c, backend, m, where)
	}
	if err != nil {
		return err
	}
	name, estimate := where.Source, "greedy decoding"
	if where.Split != "" && where.Split != data.SplitTest {
		name += "/" + where.Split
	}
	if where.Descriptor().Synthetic {
		name += " (synthetic stand-in)"
	}
	if m.Config.IsPeer() {
		estimate = "the method's own point estimate"
	}
	return show(c, result, "eval", map[string]any{
		"R": result, "Where": where, "Partitions": partitions(where), "Source": name, "Estimate": estimate,
		"Seed": c.Uint64("seed"), "SDPPPoints": evaluation.SDPPPoints, "Peer": m.Config.IsPeer(),
	})
}

// addSDPP measures SDPP on small sets.
func (e *evaluated) addSDPP(c *cli.Context, backend compute.Backend, m *train.Model, where data.Config) error {
	where.NMin, where.NMax = evaluation.SDPPPoints, evaluation.SDPPPoints
	source, err := sources.Source(where)
	if err != nil {
		return err
	}
	net, err := m.Network(backend)
	if err != nil {
		return err
	}
	sdpp, err := evaluation.MeanSDPP(c.Context, net, source, c.Uint64("seed"), c.Int("sdpp"))
	e.SDPP, e.SDPPSets = &sdpp, c.Int("sdpp")
	return err
}

// evalPublished scores a model by the published rule, on sets of a source that where describes.
func evalPublished(
	c *cli.Context, backend compute.Backend, m *train.Model, where data.Config, source data.Source,
) error {
	evaluations := evaluation.PublishedEvaluations
	if c.IsSet("sets") {
		sets := c.Int("sets")
		if sets%evaluation.PublishedSets != 0 {
			return usererr.New("use a multiple of that",
				"--sets is %d, but an evaluation by the published rule has %d sets", sets, evaluation.PublishedSets)
		}
		evaluations = sets / evaluation.PublishedSets
	}
	result := evaluatedPublished{SchemaVersion: 1, Model: m.Card.Name, Protocol: protocolPublished}
	var err error
	result.Published, err = evaluation.ByPublished(c.Context, backend, m, source, c.Uint64("seed"), evaluations)
	if err != nil {
		return err
	}
	return show(c, result, "eval-published", map[string]any{
		"R": result, "Where": where, "Partitions": partitions(where), "Seed": c.Uint64("seed"),
	})
}

// partitions tells how the clusters of test sets are drawn.
func partitions(d data.Config) string {
	text := fmt.Sprintf("CRP(%g)", d.AlphaMin)
	switch {
	case d.FixedK > 0:
		return fmt.Sprintf("K %d", d.FixedK)
	case d.MaxK > 0:
		text += fmt.Sprintf(", K %d to %d", d.MinK, d.MaxK)
	case d.MinK > 1:
		text += fmt.Sprintf(", K≥%d", d.MinK)
	}
	return text
}

// evaluatedPublished is the output of eval by the published rule.
type evaluatedPublished struct {
	SchemaVersion int    `json:"schema_version"`
	Model         string `json:"model"`
	Protocol      string `json:"protocol"`
	evaluation.Published
}

// testSets describes the sets that the command line asks for, for a model that was trained on the given data.
func testSets(c *cli.Context, trained data.Config) (where data.Config, err error) {
	alpha := c.Float64("alpha")
	if !c.IsSet("alpha") {
		alpha = trained.Descriptor().Alpha
	}
	points := c.Int("points")
	if !c.IsSet("points") {
		if points, err = defaultPoints(trained, points); err != nil {
			return where, err
		}
	}
	clusters := c.Int("clusters")
	if !c.IsSet("clusters") && !c.IsSet("alpha") {
		clusters = trained.FixedK
	}
	switch {
	case !(alpha > 0 && alpha <= 1e6):
		return where, usererr.New("choose a number above 0, at most 1e6", "--alpha %g is out of range", alpha)
	case clusters > points:
		return where, usererr.New("choose fewer, or more --points",
			"--clusters %d is more than %d points", clusters, points)
	}
	where = trained.HeldOut(alpha, points, clusters)
	switch split := c.String("split"); {
	case where.Split != "":
		where.Split = split
	case split != data.SplitTest:
		return where, usererr.New("leave --split out", "%s has no splits", where.Source)
	}
	switch protocol := c.String("protocol"); {
	case protocol == protocolHonest:
		return where, nil
	case protocol != protocolPublished:
		return where, usererr.New(`choose "independent" or "published"`, "--protocol %s is unknown", protocol)
	case c.Int("sdpp") > 0:
		return where, usererr.New("leave one of them out", "--sdpp is not of the published protocol")
	}
	return evaluation.PublishedTest(where), nil
}

// defaultPoints is the number of points of a test set unless the user gives it: most, or the source's own. Sets of a
// user's file are no larger than its smallest class.
func defaultPoints(trained data.Config, most int) (int, error) {
	if !trained.IsOwn() {
		return cmp.Or(trained.Descriptor().TestPoints, most), nil
	}
	pool, err := sources.PoolOf(trained)
	if err != nil {
		return 0, err
	}
	return cmp.Or(min(most, pool.LeastOfClass()), most), nil
}
