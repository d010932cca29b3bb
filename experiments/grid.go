package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// grid is the data sets and the methods that an experiment compares.
type grid struct {
	sets    func() []dataset
	methods []method
	fixedK  int // 0: free
	// published adds scores by the published code's evaluation (hasPublishedRule).
	published bool
}

// on returns the data sets of a grid that are always the same.
func on(sets ...dataset) func() []dataset { return func() []dataset { return sets } }

func (g grid) configs(s Scale) (all []NamedConfig) {
	for _, d := range g.sets() {
		for _, m := range g.rows(d) {
			if m.Model != "" {
				all = append(all, NamedConfig{d.Name + ", " + m.Name, s.config(d, m, g.fixedK)})
			}
		}
	}
	return all
}

// rows lists the methods that have a row for a data set.
func (g grid) rows(d dataset) []method {
	return slices.DeleteFunc(slices.Clone(g.methods), func(m method) bool { return !m.applies(d, g.fixedK) })
}

// isPaper reports whether a method is GFNCP by the paper's objective from the first step.
func (m method) isPaper() bool { return m.Model == train.GFNCP && m.Start == "" }

// usesPaperObjective reports whether a method is GFNCP with only the paper's objective, as in the text or in the code.
func (m method) usesPaperObjective() bool {
	return m.isPaper() || m.isPublished() || m.Start == StartPair
}

// isPublished reports whether a method has the published code's objective.
func (m method) isPublished() bool { return m.Start == StartPublished || m.Start == StartExtended }

// hasPublishedRule reports whether a table has a method's scores by the published code's evaluation, too: NCP's, and
// GFNCP's with only the paper's objective.
func (m method) hasPublishedRule() bool { return m.Model == train.NCP || m.usesPaperObjective() }

// hasWalks reports whether a method's clusters of images are walks.
func (m method) hasWalks() bool {
	return m.Start == StartFree || m.Start == StartWalks || m.Start == StartExtended
}

// CheckOnly returns an error for a pattern of Lab.Only that fits no run.
func CheckOnly(patterns []string) error {
	var runs []string
	for _, d := range data.Sources() {
		if d.Shape == data.Given || d.Synthetic {
			continue
		}
		for _, m := range slices.Concat(tableMethods, modes, protocolMethods) {
			runs = append(runs, m.run(dataset{Source: d.Name}, 0))
		}
	}
	for _, p := range patterns {
		if !slices.ContainsFunc(runs, func(run string) bool { return fits(p, run) }) {
			return usererr.New(usererr.DidYouMean(p, runs, "name runs, such as mog-* or mnist-ncp"),
				"--only %q fits no run", p)
		}
	}
	return nil
}

func fits(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// wants reports whether the name of a cell's run with free K fits a pattern of Only. A stand-in has the name of the
// data that it replaces. Without patterns all cells are wanted, except for data marked Another at scale smoke.
func (l *Lab) wants(d dataset, m method) bool {
	if len(l.Only) == 0 {
		return l.Scale != Smoke || !d.Another
	}
	d.Source = strings.ToLower(cmp.Or(d.Paper, d.Source))
	return slices.ContainsFunc(l.Only, func(pattern string) bool { return fits(pattern, m.run(d, 0)) })
}

// dataset is a column group of a table.
type dataset struct {
	Name   string // in our tables
	Source string // data.Source…
	Alpha  float64
	Paper  string // in the paper's tables; "" if it has no such data
	// Neighbors and Walk are data.Config's for StartFree and StartWalks: they were chosen by the share of walks that
	// stay in a class.
	Neighbors, Walk int
	// AugmentBase is data.Config's.
	AugmentBase bool
	// Features marks feature vectors. Their sets are small, because a class of ImageNet's has few points.
	Features bool
	// Another marks data of the same kind as the data set before: scale smoke skips it unless Lab.Only asks for it.
	Another bool
}

var (
	mogData     = dataset{Name: "MoG", Source: data.SourceMoG, Alpha: 6, Paper: "MoG"}
	mnistData   = dataset{Name: "MNIST", Source: data.SourceMNIST, Alpha: 1, Paper: "MNIST", Neighbors: 15, Walk: 24}
	fashionData = dataset{
		Name: "FMNIST", Source: data.SourceFashion, Alpha: 1, Paper: "FMNIST", Neighbors: 10, Walk: 100,
	}
	tableData = []dataset{mogData, mnistData, fashionData}
)

// standsIn reports whether a data set is synthetic, in place of the paper's own.
func (d dataset) standsIn() bool { return d.Paper != "" && d.Name != d.Paper }

func (d dataset) kind() data.Descriptor {
	known, _ := data.FindSource(d.Source)
	return known
}

// featureSets are ImageNet-50, 100 and 200 from the data folder or, where a file is missing, the stand-in, which
// carries that in its name. A damaged file is kept: its cells will fail with an error.
func featureSets() (sets []dataset) {
	for _, name := range []string{"IN50", "IN100", "IN200"} {
		d := dataset{Name: name, Paper: name, Source: strings.ToLower(name), Alpha: 1, Features: true}
		if _, err := sources.PoolOf(d.config(train.NCP).Data); errors.Is(err, sources.ErrMissing) {
			d.Name, d.Source, d.Another = name+" stand-in", data.Standin(d.Source), len(sets) > 0
		}
		sets = append(sets, d)
	}
	return sets
}

const standInNote = `Stand-in: synthetic vectors in 384 dimensions take the place of ImageNet's DINO features, which cannot be
	shipped (docs/your-data.md). The paper's numbers beside them belong to the real features: the two do not compare. Put the
	features into the data folder as imagenet/in50.npy, in100.npy and in200.npy (python/features.py) to compute the
	real cells.`

// method is a row of a table: a model under a way to train it, or a reference that needs no training.
type method struct {
	Name      string               // in our tables
	Paper     string               // in the paper's; "" if it has no such row
	Model     string               // one of train.Models; "" for a reference
	Start     string               // one of Start…; "" is StartPaper
	Variant   string               // of DAC
	Online    bool                 // the energy network never looks ahead (appendix sec:online_mode)
	Reference evaluation.Reference // for MoG only
}

var (
	dacMin      = method{Name: "DAC (min-filtering)", Paper: "DAC", Model: train.DAC, Variant: peers.MinFilter}
	dacAnchored = method{Name: "DAC (anchored)", Paper: "DAC", Model: train.DAC, Variant: peers.Anchored}

	ncp           = method{Name: "NCP", Paper: "NCP", Model: train.NCP}
	extendedNCP   = method{Name: "NCP (extended/walks)", Paper: "NCP", Model: train.NCP, Start: StartWalks}
	coldGFNCP     = method{Name: "GFNCP (paper)", Paper: "GFNCP", Model: train.GFNCP}
	codeGFNCP     = method{Name: "GFNCP (published)", Paper: "GFNCP", Model: train.GFNCP, Start: StartPublished}
	warmGFNCP     = method{Name: "GFNCP (warm start)", Paper: "GFNCP", Model: train.GFNCP, Start: StartWarm}
	extendedGFNCP = method{
		Name: "GFNCP (published; extended/walks)", Paper: "GFNCP", Model: train.GFNCP, Start: StartExtended,
	}
	freeGFNCP = method{
		Name: "GFNCP (free flows; extended/walks)", Paper: "GFNCP", Model: train.GFNCP, Start: StartFree,
	}
)

// paperMethods are the rows of the paper's tables in its order, GFNCP under all starts and DAC in both variants.
var paperMethods = []method{
	{Name: "ST", Paper: "ST", Model: train.ST},
	dacMin, dacAnchored,
	ncp, extendedNCP, coldGFNCP, codeGFNCP, extendedGFNCP, warmGFNCP, freeGFNCP,
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
			others = append(others,
				method{Name: fmt.Sprintf("%s (%s)", kind.Title(), v.Title), Model: kind.Name, Variant: v.Name})
		}
	}
	return others
}

// applies reports whether a method has a row for a data set: some peers need a fixed K or are trained only on mixtures.
// The references need a known mixture, and except for the oracle a free K.
func (m method) applies(d dataset, fixedK int) bool {
	mixture, kind := d.kind().Shape == data.Mixtures, train.KindOf(m.Model)
	switch {
	case kind.FixedK > 0:
		return fixedK > 0
	case kind.Mixtures || m.Reference == evaluation.Oracle:
		return mixture
	case m.Start == StartWalks || m.Start == StartExtended:
		return d.Walk > 0 || mixture
	case m.Reference != "":
		return mixture && fixedK == 0
	}
	return true
}

// fixedK is the number of clusters that a method is trained for, or 0.
func (m method) fixedK() int { return train.KindOf(m.Model).FixedK }

// run is the name of a cell's training runs, and of the pretrained model in their place; for a reference, of the cell.
func (m method) run(d dataset, fixedK int) string {
	name := d.Source + "-" + cmp.Or(m.Model, string(m.Reference))
	if m.Variant == peers.Anchored {
		name += "-anchored"
	}
	switch {
	case m.Start == StartWalks && d.kind().Shape == data.Mixtures: // they have no walks
		name += "-extended"
	case m.Start != "" && m.Start != StartWarm:
		name += "-" + m.Start
	}
	if m.Online {
		name += "-online"
	}
	if m.isPaper() {
		name += "-cold"
	}
	if fixedK > 0 {
		name += "-fixed"
	}
	return name
}
