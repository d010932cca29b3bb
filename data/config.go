package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/pelletier/go-toml/v2"

	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
)

// The two ways in which a cluster gets its points (Config.Mode).
const (
	// ModeGenerative draws the points of a cluster from the mixture, or from a class of a pool.
	ModeGenerative = "generative"
	// ModeInstance draws one base point a cluster and makes the others its augmentations: instance discrimination.
	ModeInstance = "instance"
)

// Names of sources (Config.Source). Sources returns their descriptors.
const (
	SourceMoG     = "mog"    // mixtures of Gaussians
	SourceMNIST   = "mnist"  // images of handwritten digits
	SourceFashion = "fmnist" // Fashion-MNIST: images of clothes
	SourceFile    = "file"   // a user's images or vectors (Path)
)

// The parts of an image data set or a feature set (Config.Split).
const (
	SplitTrain = "train"
	SplitTest  = "test"
	SplitValid = "valid" // the last ValidImages training images, for model selection by labels; feature sets lack it
)

// ValidImages is the number of training images that are the validation split. Trainings see them without their labels.
const ValidImages = 10_000

// Config describes a source of sets. Start from DefaultMoG, Default or DefaultVectors: the zero value is not valid.
type Config struct {
	// Source is the name of one of Sources.
	Source string `toml:"source" json:"source"`
	// Split is the part of a data set to draw from: "train", "test" or "valid".
	Split string `toml:"split,omitempty" json:"split,omitempty"`
	// Path is the user's folder or file, for source "file".
	Path string `toml:"path,omitempty" json:"path,omitempty"`
	// Columns, Labels and Header say how the user's table is read: the coordinate columns, separated by commas; the
	// column of labels; and "auto", "yes" or "no" for whether the first line holds names. Empty values are detected.
	Columns string `toml:"columns,omitempty" json:"columns,omitempty"`
	Labels  string `toml:"labels,omitempty" json:"labels,omitempty"`
	Header  string `toml:"header,omitempty" json:"header,omitempty"`
	// Ignore lists columns that are not read, and Categorical columns whose numbers are levels. Encoding is the table's
	// tabular.Encoding as JSON; if it is empty, the columns are the coordinates.
	Ignore      string `toml:"ignore,omitempty" json:"ignore,omitempty"`
	Categorical string `toml:"categorical,omitempty" json:"categorical,omitempty"`
	Encoding    string `toml:"encoding,omitempty" json:"encoding,omitempty"`
	// Dim is D, the number of coordinates of a point; at least 1, default 2.
	Dim int `toml:"dim" json:"dim"`
	// SigmaMu is σ_μ, the standard deviation of each coordinate of a cluster's mean, in data units; at least 0, default
	// 10.
	SigmaMu float64 `toml:"sigma_mu" json:"sigma_mu"`
	// SigmaX is σ_x, the standard deviation of each coordinate of a point around its cluster's mean, and in mode
	// "instance" around its base point; above 0, default 1.
	SigmaX float64 `toml:"sigma_x" json:"sigma_x"`

	// Batch is B, the number of sets in a batch; at least 1, default 64.
	Batch int `toml:"batch" json:"batch"`
	// NMin and NMax bound N, the number of points of a set: uniform over the integers NMin..NMax, drawn once a batch.
	// Defaults 100 and 1000; equal values fix N (the paper tests with 300). With LogN it is log-uniform.
	NMin int  `toml:"n_min" json:"n_min"`
	NMax int  `toml:"n_max" json:"n_max"`
	LogN bool `toml:"log_n,omitempty" json:"log_n,omitempty"`

	// AlphaMin and AlphaMax bound α, the concentration of the Chinese restaurant process: log-uniform between them,
	// drawn for each set; above 0, default 6 for both.
	AlphaMin float64 `toml:"alpha_min" json:"alpha_min"`
	AlphaMax float64 `toml:"alpha_max" json:"alpha_max"`
	// FixedK, if not 0, conditions the process on exactly K clusters, at most NMin; α, MinK and MaxK are not used then.
	FixedK int `toml:"fixed_k" json:"fixed_k"`
	// MinK and MaxK bound K: a partition with fewer or more clusters is drawn again. Defaults 2 and 0: no upper bound.
	MinK int `toml:"min_k" json:"min_k"`
	MaxK int `toml:"max_k" json:"max_k"`

	// Shared gives all sets of a batch one labelling, as the authors' published code does.
	Shared bool `toml:"shared,omitempty" json:"shared,omitempty"`

	// Mode is ModeGenerative, where the known classes of a pool are the clusters, or ModeInstance.
	Mode string `toml:"mode" json:"mode"`
	// Stream names the random stream: "train" (the default) or any other name; no training has "valid" or "test", the
	// streams on which models are judged. Other streams give unrelated batches for the same seed and step.
	Stream string `toml:"stream" json:"stream"`

	// Factor multiplies vectors from a file or a feature set, once their set's median is subtracted; above 0.
	Factor float64 `toml:"factor,omitempty" json:"factor,omitempty"`
	// AugmentBase augments all points of a cluster in mode "instance", the base point too. Without it, as in the paper,
	// a network can learn that two unaugmented points never share a cluster, although all test points are unaugmented.
	// Mixtures do not use it.
	AugmentBase bool `toml:"augment_base,omitempty" json:"augment_base,omitempty"`
	// Neighbors is how many of the base's nearest neighbours in the pool count as its cluster in mode "instance": each
	// further point augments the base or one of them, chosen uniformly. 0, the paper's setting, to 1000. Mixtures do
	// not use it.
	Neighbors int `toml:"neighbors,omitempty" json:"neighbors,omitempty"`
	// Walk, if not 0, is the number of steps of a random walk from the base; a further point then augments the walk's
	// end. A step goes to a mutual neighbour (each is among the other's Neighbors nearest) or stays. At most 1000.
	Walk int `toml:"walk,omitempty" json:"walk,omitempty"`
	// Images are the augmentations of images in mode "instance". A source "file" holds vectors if Images is zero.
	Images augment.Images `toml:"images,omitempty" json:"images,omitzero"`
	// Vectors are the augmentations of vectors from a file or a feature set in mode "instance", in units after Factor.
	Vectors augment.Vectors `toml:"vectors,omitempty" json:"vectors,omitzero"`
}

// TableEncoding returns the encoding in Encoding, or nil if that is empty.
func (c Config) TableEncoding() (*tabular.Encoding, error) {
	if c.Encoding == "" {
		return nil, nil
	}
	var e tabular.Encoding
	if err := json.Unmarshal([]byte(c.Encoding), &e); err != nil {
		return nil, usererr.New("leave it as the training wrote it", "data.encoding cannot be read (%v)", err)
	}
	return &e, nil
}

// DefaultVectors returns the settings for vectors [D] of a user's file: instance discrimination with α = 1.
func DefaultVectors(path string, dim int) Config {
	c := DefaultMoG()
	c.Source, c.Path, c.Dim, c.SigmaMu, c.SigmaX = SourceFile, path, dim, 0, 0
	c.AlphaMin, c.AlphaMax, c.Mode, c.Vectors, c.Factor = 1, 1, ModeInstance, augment.DefaultVectors(), 1
	return c
}

// ImageSide is the height and width of images that the encoder reads.
const ImageSide = 28

const imagePixels = ImageSide * ImageSide

// HeldOut returns the configuration of test sets for a model that was trained on c: the same mixtures, or the known
// classes of a data set's test split. Sets have the given number of points and CRP(alpha), or exactly fixedK clusters
// if that is not 0.
func (c Config) HeldOut(alpha float64, points, fixedK int) Config {
	c.Mode, c.Stream, c.Batch, c.NMin, c.NMax, c.LogN = ModeGenerative, "test", 16, points, points, false
	c.AlphaMin, c.AlphaMax, c.FixedK = alpha, alpha, fixedK
	if c.Descriptor().HasSplits() {
		c.Split = SplitTest
	}
	return c
}

// Descriptor returns the descriptor of the source. For an unknown source it has no shape.
func (c Config) Descriptor() Descriptor {
	for _, d := range Sources() {
		if d.Name == c.Source { // configurations hold no aliases
			return d
		}
	}
	return Descriptor{}
}

// IsMixture reports whether the points are drawn from mixtures of Gaussians: there is no pool, and the truth is known.
func (c Config) IsMixture() bool { return c.Descriptor().Shape == Mixtures }

// IsOwn reports whether the points come from a user's file.
func (c Config) IsOwn() bool { return c.Descriptor().Shape == Given }

// IsImages reports whether the points are images.
func (c Config) IsImages() bool {
	return c.Descriptor().Shape == Images || c.IsOwn() && c.Images != (augment.Images{})
}

// IsVectors reports whether the points are vectors of a pool, which Factor scales: a feature set, or a user's file of
// vectors.
func (c Config) IsVectors() bool {
	return c.Descriptor().Shape == Vectors || c.IsOwn() && !c.IsImages()
}

// DefaultMoG returns the paper's training settings. Its points come from the mixture; the paper's self-supervised
// training has Mode ModeInstance.
func DefaultMoG() Config {
	return Config{
		Source: SourceMoG,
		Dim:    2, SigmaMu: 10, SigmaX: 1,
		Batch: 64, NMin: 100, NMax: 1000,
		AlphaMin: 6, AlphaMax: 6, MinK: 2,
		Mode: ModeGenerative, Stream: "train",
	}
}

// String returns all settings in one line, under the keys of a configuration file.
func (c Config) String() string {
	text, err := toml.Marshal(c)
	if err != nil {
		return err.Error() // a struct of numbers and texts always marshals
	}
	line := strings.NewReplacer("source = ", "", " = ", "=", ".0\n", " ", "'", "", "\n", " ").Replace(string(text))
	return strings.Join(strings.Fields(line), " ")
}

// Validate returns nil, or all faults at once, joined: one *usererr.Error each, with key, value and bound.
func (c Config) Validate() error {
	var faults usererr.Faults
	faults.Demand(c.Dim >= 1, "data.dim", c.Dim, "at least 1")
	switch {
	case c.IsMixture():
		faults.Demand(c.SigmaMu >= 0 && c.SigmaMu <= mostSigma, "data.sigma_mu", c.SigmaMu,
			fmt.Sprintf("0 to %g", mostSigma))
		faults.Demand(c.SigmaX > 0 && c.SigmaX <= mostSigma, "data.sigma_x", c.SigmaX,
			fmt.Sprintf("a number above 0, at most %g", mostSigma))
	case c.IsImages(), c.IsVectors():
		faults = append(faults, c.poolFaults()...)
	default:
		faults.Demand(false, "data.source", fmt.Sprintf("%q", c.Source), sourceNames())
	}
	faults.Demand(c.Neighbors >= 0 && c.Neighbors <= 1000, "data.neighbors", c.Neighbors, "0 (none) to 1000")
	faults.Demand(c.Walk >= 0 && c.Walk <= 1000, "data.walk", c.Walk, "0 (none) to 1000")
	faults.Demand(c.Walk == 0 || c.Neighbors > 0, "data.walk", c.Walk, "0, or set data.neighbors")
	faults.Demand(c.Batch >= 1 && c.Batch <= mostSets, "data.batch", c.Batch, fmt.Sprintf("1 to %d", mostSets))
	faults.Demand(c.NMin >= 1, "data.n_min", c.NMin, "at least 1")
	faults.Demand(c.NMax >= c.NMin && c.NMax <= mostPoints, "data.n_max", c.NMax,
		fmt.Sprintf("data.n_min = %d to %d", c.NMin, mostPoints))
	faults.Demand(c.FixedK >= 0, "data.fixed_k", c.FixedK, "at least 0 (0 leaves K free)")
	faults.Demand(c.FixedK <= c.NMin, "data.fixed_k", c.FixedK, fmt.Sprintf("at most data.n_min = %d", c.NMin))
	faults.Demand(c.Mode == ModeGenerative || c.Mode == ModeInstance, "data.mode", fmt.Sprintf("%q", c.Mode),
		fmt.Sprintf("%q or %q", ModeGenerative, ModeInstance))
	faults.Demand(c.Stream != "" && !strings.ContainsAny(c.Stream, " \t\r\n"), "data.stream",
		fmt.Sprintf("%q", c.Stream), `a name without spaces, such as "train"`)
	if c.FixedK == 0 {
		faults = append(faults, c.freeKFaults()...)
	}
	return errors.Join(faults...)
}

// These bounds keep products of sizes within an int; memory limits them further.
const (
	mostSets   = 1_000_000 // of a batch
	mostPoints = 1_000_000 // of a set
	mostSigma  = 1e12      // of coordinates, whose squares float32 must hold
)

// poolFaults checks the settings that only sources with a pool use.
func (c Config) poolFaults() (faults usererr.Faults) {
	if c.IsImages() {
		faults.Demand(c.Dim == imagePixels, "data.dim", c.Dim, "784: images have 28×28 pixels")
		faults.Demand(!c.Images.Wrap || c.AugmentBase, "data.images.wrap", c.Images.Wrap,
			"false, or set data.augment_base")
	}
	if c.IsOwn() {
		faults.Demand(c.Path != "", "data.path", `""`, "a folder of images or a file of images or vectors")
	} else {
		faults.Demand(slices.Contains([]string{SplitTrain, SplitTest, SplitValid}, c.Split), "data.split",
			fmt.Sprintf("%q", c.Split), `"train", "test" or "valid"`)
	}
	switch {
	case c.IsVectors():
		faults.Demand(c.Factor > 0 && !math.IsInf(c.Factor, 0), "data.factor", c.Factor, "a finite number above 0")
		faults = append(faults, c.Vectors.Validate())
	case c.Mode == ModeInstance:
		faults = append(faults, c.Images.Validate())
	}
	return faults
}

func sourceNames() string {
	var names []string
	for _, d := range Sources() {
		names = append(names, fmt.Sprintf("%q", d.Name))
	}
	return english.WordSeries(names, "or")
}

// freeKFaults checks the settings that matter only while K is free: α and the range of K.
func (c Config) freeKFaults() (faults usererr.Faults) {
	faults.Demand(c.AlphaMin > 0 && !math.IsInf(c.AlphaMin, 0), "data.alpha_min", c.AlphaMin, "a finite number above 0")
	faults.Demand(c.AlphaMax >= c.AlphaMin && !math.IsInf(c.AlphaMax, 0), "data.alpha_max", c.AlphaMax,
		fmt.Sprintf("a finite number of at least data.alpha_min = %g", c.AlphaMin))
	faults.Demand(c.MinK >= 1, "data.min_k", c.MinK, "at least 1")
	faults.Demand(c.MinK <= c.NMin, "data.min_k", c.MinK, fmt.Sprintf("at most data.n_min = %d", c.NMin))
	faults.Demand(c.MaxK == 0 || c.MaxK >= c.MinK, "data.max_k", c.MaxK,
		fmt.Sprintf("0 (no bound) or at least data.min_k = %d", c.MinK))
	if len(faults) > 0 || c.NMin < 1 || c.NMax < c.NMin || c.NMax > mostPoints {
		return faults
	}
	p := c.prior()
	if prob, n, alpha := p.acceptance(c.NMin, c.NMax); prob < minAcceptance {
		faults = append(faults, usererr.New("widen them, change data.alpha_min and data.alpha_max, or set data.fixed_k",
			"data.min_k = %d and data.max_k = %d hold only %.2g of the partitions of %d points at alpha %g, below %g",
			c.MinK, c.MaxK, prob, n, alpha, minAcceptance))
	}
	return faults
}

func (c Config) prior() prior {
	p := prior{alphaMin: c.AlphaMin, alphaMax: c.AlphaMax, minK: c.MinK, maxK: c.MaxK}
	if c.FixedK > 0 {
		p.fixed = newConditionalCRP(c.FixedK, c.NMax)
	}
	return p
}
