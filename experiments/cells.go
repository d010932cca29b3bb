package experiments

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// dataset is a column group of a table.
type dataset struct {
	Name   string // in our tables
	Source string // data.Source…
	Alpha  float64
	Paper  string // in the paper's tables
	// Features marks feature vectors, one of featureSets: sets are small there, because a class has few points.
	Features bool
}

var (
	mogData     = dataset{Name: "MoG", Source: data.SourceMoG, Alpha: 6, Paper: "MoG"}
	mnistData   = dataset{Name: "MNIST", Source: data.SourceMNIST, Alpha: 1, Paper: "MNIST"}
	fashionData = dataset{Name: "FMNIST", Source: data.SourceFashion, Alpha: 1, Paper: "FMNIST"}
	tableData   = []dataset{mogData, mnistData, fashionData}
)

// method is a row of a table: a model under a way to train it, or a reference that needs no training.
type method struct {
	Name      string // in our tables
	Paper     string // in the paper's; "" if it has no such row
	Model     string // one of train.Models; "" for a reference
	Start     start
	Variant   string               // of DAC
	Online    bool                 // the energy network never looks ahead (appendix sec:online_mode)
	Reference evaluation.Reference // for MoG only
}

// start says how GFNCP's training begins.
type start int

const (
	asPublished start = iota // the paper's objective from the first step
	warm                     // likelihood first, and a likelihood term kept beside the others (docs/training.md)
)

var (
	dacMin      = method{Name: "DAC (min-filtering)", Paper: "DAC", Model: train.DAC, Variant: peers.MinFilter}
	dacAnchored = method{Name: "DAC (anchored)", Paper: "DAC", Model: train.DAC, Variant: peers.Anchored}

	ncp       = method{Name: "NCP", Paper: "NCP", Model: train.NCP}
	coldGFNCP = method{Name: "GFNCP (paper)", Paper: "GFNCP", Model: train.GFNCP}
	warmGFNCP = method{Name: "GFNCP (warm start)", Paper: "GFNCP", Model: train.GFNCP, Start: warm}
)

// paperMethods are the rows of the paper's tables in its order, GFNCP under both ways to start and DAC in both variants.
var paperMethods = []method{
	{Name: "ST", Paper: "ST", Model: train.ST},
	dacMin, dacAnchored,
	ncp, coldGFNCP, warmGFNCP,
}

// tableMethods lists the rows: the paper's, then the peers that its tables leave out, such as CCP, and the references.
var tableMethods = slices.Concat(paperMethods, otherPeers(paperMethods), []method{
	{Name: "Gibbs", Reference: evaluation.Gibbs},
	{Name: "Oracle", Reference: evaluation.Oracle},
})

// otherPeers are the registered peers that have no row yet, in all their variants.
func otherPeers(rows []method) (others []method) {
	for _, kind := range train.Kinds() {
		if slices.ContainsFunc(rows, func(m method) bool { return m.Model == kind.Name }) {
			continue
		}
		if len(kind.Variants) == 0 {
			others = append(others, method{Name: kind.Title(), Model: kind.Name})
		}
		for _, v := range kind.Variants {
			others = append(others, method{Name: fmt.Sprintf("%s (%s)", kind.Title(), v.Title), Model: kind.Name, Variant: v.Name})
		}
	}
	return others
}

// applies reports whether a method has a row for a data set: some peers need a fixed K or are trained on mixtures alone, Gibbs
// needs a free K, and the references a known mixture.
func (m method) applies(d dataset, fixedK int) bool {
	mixture, kind := d.kind().Shape == data.Mixtures, train.KindOf(m.Model)
	switch {
	case kind.FixedK > 0:
		return fixedK > 0
	case kind.Mixtures || m.Reference == evaluation.Oracle:
		return mixture
	case m.Reference == evaluation.Gibbs:
		return mixture && fixedK == 0
	}
	return true
}

// hasEnergies reports whether MC can be computed for a method.
func (m method) hasEnergies() bool { return evaluation.HasEnergies(m.Model) }

// shipped is the name of the pretrained model that may stand in for a cell, or "".
func (m method) shipped(d dataset) string {
	if m == coldGFNCP || m.Model == "" {
		return ""
	}
	return d.Source + "-" + m.short()
}

// short names a method in the names of runs and models.
func (m method) short() string {
	switch {
	case m.Variant == peers.Anchored:
		return m.Model + "-anchored"
	case m.Online:
		return m.Model + "-online"
	}
	return m.Model
}

// run is the name of a cell's training runs.
func (m method) run(d dataset, fixedK int) string {
	name := d.Source + "-" + m.short()
	if m.Model == train.GFNCP && m.Start == asPublished {
		name += "-cold"
	}
	if fixedK > 0 {
		name += "-fixed"
	}
	return name
}

// config is how a cell's model is trained at a scale, before the seed is set. fixedK = 0 leaves K free.
//
// Paper scale is the paper's setting as it stands, but for a warm start. The smaller scales differ in ways that their
// reports name: smaller batches and sets.
func (s Scale) config(d dataset, m method, fixedK int) train.Config {
	c := d.config(m.Model)
	c.Data.AlphaMin, c.Data.AlphaMax, c.Data.FixedK = d.Alpha, d.Alpha, fixedK
	c.Net.Online = m.Online
	switch s {
	case Smoke:
		c = smokeSize(c, d)
	case Small:
		c = smallSize(c, d, m)
	}
	if c.IsPeer() {
		c.Peer.Variant = m.variant()
		if s != Paper {
			c.Peer.Samples = 5
		}
	}
	if m.Start == warm {
		c.Loss.NLLWeight = 1
		c.Train.WarmupSteps = c.Train.Steps / 2
	}
	return c
}

// config is the paper's setting for a model on a data set.
func (d dataset) config(model string) train.Config { return train.DefaultOn(model, d.Source) }

// kind describes the source.
func (d dataset) kind() data.Descriptor {
	known, _ := data.FindSource(d.Source)
	return known
}

// smokeSize shrinks a config to seconds.
func smokeSize(c train.Config, d dataset) train.Config {
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 8, 20, 40
	c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery, c.Train.ValidSets = 120, 40, 40, 8
	switch {
	case c.Data.IsImages():
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 12, 6, 12
	case c.IsPeer() || d.Features:
		c.Train.Steps, c.Train.ValidEvery = 30, 15
	}
	return c
}

// smallSize shrinks a config to minutes.
func smallSize(c train.Config, d dataset, m method) train.Config {
	c.Data.Batch, c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 16, 800, 50, 100
	if d.Features {
		c.Train.Steps = 400 // of sets of 20 to 50 points
	} else {
		c.Data.NMin, c.Data.NMax = 50, 100
	}
	if steps := train.KindOf(m.Model).SmallSteps; steps > 0 && c.Data.IsMixture() {
		c.Train.Steps = steps // a peer's authors' counts are 5 to 10 times the energy networks'
	}
	if m == coldGFNCP && c.Data.IsImages() {
		c.Data = smallSets(c.Data) // as in coldStart, whose run this is
	}
	return c
}

func (m method) variant() string {
	if m.Variant == "" {
		return peers.MinFilter
	}
	return m.Variant
}

// smallSets are the sets on which the cold start is watched.
func smallSets(c data.Config) data.Config {
	c.NMin, c.NMax = 20, 50
	return c
}

// test is where a cell's model is judged at a scale.
func (s Scale) test(d dataset, fixedK int) evaluation.Test {
	sets, points := s.testSize(d)
	return evaluation.Test{Data: d.config(train.NCP).Data.HeldOut(d.Alpha, points, fixedK), Sets: sets, Seed: testSeed}
}

// testSeed separates test sets from everything that training sees; their stream is another one as well.
const testSeed = 20250503

// testSize is the number of test sets and of points in each.
func (s Scale) testSize(d dataset) (sets, points int) {
	switch {
	case s == Smoke:
		return 16, 40
	case d.Features:
		return map[Scale]int{Small: 300, Paper: 2500}[s], d.kind().TestPoints
	case s == Small:
		return 300, 300
	case d.kind().Shape == data.Mixtures:
		return 3000, 300
	default:
		return 10000, 300
	}
}
