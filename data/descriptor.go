package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Shape is the kind of points of a source.
type Shape int

// The shapes. Mixtures have no pool; a Given source is a user's images or vectors (Config.IsImages).
const (
	Mixtures Shape = iota + 1
	Images
	Vectors
	Given
)

// Descriptor describes a source of sets: its shape, the origin of its files, and the defaults of training on it. A new
// data set is one more descriptor, see published.go. gfncp data list prints the fields with a JSON name.
type Descriptor struct {
	Name    string   `json:"name"`    // its name in configurations (Config.Source)
	Aliases []string `json:"aliases"` // other names for it
	Title   string   `json:"title"`
	Licence string   `json:"licence"`
	Home    string   `json:"source"` // the publisher's page
	Folder  string   `json:"folder"` // its sub-folder of the data folder; empty if there are no files
	Train   int      `json:"train"`  // number of training points; 0 if it depends on the user's file
	Test    int      `json:"test"`   // number of test points, likewise
	Height  int      `json:"height"` // of an image, in pixels; 0 for vectors
	Width   int      `json:"width"`
	Classes []string `json:"classes"` // of images; a file of vectors has its own

	// Fields of vectors: their number of coordinates, the number of classes in each split, and whether they are
	// synthetic.
	Dim          int  `json:"dim,omitempty"`
	TrainClasses int  `json:"train_classes,omitempty"`
	TestClasses  int  `json:"test_classes,omitempty"`
	Synthetic    bool `json:"synthetic,omitempty"`

	Shape Shape `json:"-"`

	// Alpha is the concentration of the test sets. Factor scales vectors for networks, see Default.
	Alpha  float64 `json:"-"`
	Factor float64 `json:"-"`
	// NMin and NMax bound the sizes of training sets, and TestPoints is the size of test sets; 0 if the classes are
	// large enough for any size.
	NMin, NMax, TestPoints int `json:"-"`
	// Hidden is the width of the hidden layers of the paper's network for it; 0 is the width of models.Default.
	Hidden int `json:"-"`

	// Mirrors are the URLs before "NAME.gz" of published files, in the order in which they are tried; Files are the
	// files by split.
	Mirrors []string         `json:"-"`
	Files   map[string]Files `json:"-"`
	// Derive computes a split of a source without files of its own: a synthetic one, or one that is derived from the
	// published data sets named in From. Their files are in the data folder dir, or in the usual one if dir is empty.
	From   []string                               `json:"-"`
	Derive func(dir, split string) (*Pool, error) `json:"-"`
}

// Files are the two files of a split of published images, in the IDX format.
type Files struct{ Images, Labels File }

// File is one published file, with the size in bytes and the SHA-256 of its unpacked content.
type File struct {
	Name   string
	Size   int64
	SHA256 string
}

// HasSplits reports whether the source has a training and a test split, as every named data set has.
func (d Descriptor) HasSplits() bool { return d.Shape == Images || d.Shape == Vectors }

// Published reports whether the files can be fetched.
func (d Descriptor) Published() bool { return d.Files != nil }

// Sources lists the descriptors in the order in which messages name them; a user's own file comes last.
func Sources() []Descriptor { return slices.Concat(registered, []Descriptor{ownFile}) }

// registered are all sources but a user's file.
var registered = slices.Concat([]Descriptor{mixtures}, published, imageNet, standins)

// Computed reports whether the source has no files of its own: it is synthetic, or derived from others.
func (d Descriptor) Computed() bool { return d.Derive != nil }

// Register adds a source; call it when a program starts. It panics if a name is taken.
func Register(d Descriptor) {
	for _, name := range append([]string{d.Name}, d.Aliases...) {
		if _, taken := FindSource(name); taken {
			panic(fmt.Sprintf("data: a source %q is registered already", name))
		}
	}
	registered = append(registered, d)
}

// FindSource returns the descriptor of a name or an alias, in any case.
func FindSource(name string) (d Descriptor, found bool) {
	for _, d := range Sources() {
		if slices.ContainsFunc(append([]string{d.Name}, d.Aliases...),
			func(known string) bool { return strings.EqualFold(name, known) }) {
			return d, true
		}
	}
	return d, false
}

// DataSet returns the descriptor of a data set with splits by its name or alias. Any other name is a *usererr.Error.
func DataSet(name string) (Descriptor, error) {
	if d, found := FindSource(name); found && d.HasSplits() {
		return d, nil
	}
	var known []string
	for _, d := range Sources() {
		if d.HasSplits() {
			known = append(append(known, d.Name), d.Aliases...)
		}
	}
	return Descriptor{}, usererr.Unknown(name, known, "data set %q is not known", name)
}

var mixtures = Descriptor{Name: SourceMoG, Title: "mixtures of Gaussians", Shape: Mixtures, Dim: 2, Alpha: 6}

var ownFile = Descriptor{Name: SourceFile, Title: "your own images or vectors", Shape: Given, Alpha: 1}
