package experiments

import (
	"errors"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
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

// standsIn reports whether a data set is made up, in place of the paper's own.
func (d dataset) standsIn() bool { return d.Name != d.Paper }

// kind describes the source.
func (d dataset) kind() data.Descriptor {
	known, _ := data.FindSource(d.Source)
	return known
}

// featureSets are the feature sets of the paper: ImageNet-50, 100 and 200 from the data folder, or, where a file is missing,
// the synthetic stand-in, which carries that in its name. A damaged file is kept: its cells will fail and say why.
func featureSets() (sets []dataset) {
	for _, name := range []string{"IN50", "IN100", "IN200"} {
		d := dataset{Name: name, Paper: name, Source: strings.ToLower(name), Alpha: 1, Features: true}
		if _, err := sources.PoolOf(d.config(train.NCP).Data); errors.Is(err, sources.ErrMissing) {
			d.Name, d.Source = name+" stand-in", standInFor(d.Source)
		}
		sets = append(sets, d)
	}
	return sets
}

// standInFor is the source that takes the place of another.
func standInFor(source string) string {
	for _, d := range data.Sources() {
		if d.StandsFor == source {
			return d.Name
		}
	}
	return source
}

// standInNote is the footnote of tables with a stand-in.
const standInNote = `Stand-in: synthetic vectors in 384 dimensions take the place of ImageNet's DINO features, which cannot be
	shipped (docs/features.md). The paper's numbers beside them belong to the real features: the two do not compare. Put the
	features into the data folder as imagenet/in50.npz, in100.npz and in200.npz (` + "`gfncp features dino`" + `) to compute the
	real cells.`
