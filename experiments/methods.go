package experiments

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
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

// fixedK is the number of clusters that a method is trained for, or 0.
func (m method) fixedK() int { return train.KindOf(m.Model).FixedK }

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
