package sources

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// The splits of a data set.
const (
	Train = "train"
	Test  = "test"
)

// Info describes a data set: a published one of images, or a feature set.
type Info struct {
	Name    string   `json:"name"`    // what Load, Fetch and Verify call it
	Aliases []string `json:"aliases"` // other names for it
	Title   string   `json:"title"`
	Licence string   `json:"licence"`
	Source  string   `json:"source"` // the publisher's page
	Folder  string   `json:"folder"` // its sub-folder of the data folder; empty if it is computed
	Train   int      `json:"train"`  // number of training points; 0 if that is the user's file to tell
	Test    int      `json:"test"`   // number of test points, likewise
	Height  int      `json:"height"` // of an image, in pixels; 0 for vectors
	Width   int      `json:"width"`
	Classes []string `json:"classes"` // of a data set of images; those of features are in the file

	// The fields of feature sets: the vectors' coordinates, the number of classes in each split, and whether it is made up.
	Dim          int  `json:"dim,omitempty"`
	TrainClasses int  `json:"train_classes,omitempty"`
	TestClasses  int  `json:"test_classes,omitempty"`
	Synthetic    bool `json:"synthetic,omitempty"`
}

// dataset is a published data set with its files and where they can be fetched.
type dataset struct {
	Info
	mirrors []string        // addresses before "NAME.gz", in the order in which they are tried
	splits  map[string]pair // by split
}

// pair holds the two files of a split.
type pair struct{ images, labels file }

// file is one published file; size in bytes and SHA-256 are those of the unpacked content.
type file struct {
	name   string
	size   int64
	sha256 string
}

// files are all files of the data set, in a fixed order.
func (d *dataset) all() []file {
	train, test := d.splits[Train], d.splits[Test]
	return []file{train.images, train.labels, test.images, test.labels}
}

// All describes the published data sets of images that this package knows, which Fetch can fetch; see Features for the others.
func All() []Info {
	var all []Info
	for i := range published {
		all = append(all, published[i].Info)
	}
	return all
}

// Find describes the data set of this name or alias. An unknown name is a *usererr.Error.
func Find(name string) (Info, error) {
	if set, found := findFeatures(name); found {
		return set.Info, nil
	}
	d, err := find(name)
	if err != nil {
		return Info{}, err
	}
	return d.Info, nil
}

func find(name string) (*dataset, error) {
	var names []string
	for i := range published {
		d := &published[i]
		for _, known := range append([]string{d.Name}, d.Aliases...) {
			if strings.EqualFold(name, known) {
				return d, nil
			}
			names = append(names, known)
		}
	}
	names = append(names, data.FeatureSets()...)
	return nil, usererr.Unknown(name, names, "data set %q is not known", name)
}

// Dir is the data folder: $GFNCP_DATA if that is set, else gfncp in the user's cache folder. It need not exist. Without
// either, as where no home folder is known, Dir returns a *usererr.Error.
func Dir() (string, error) {
	if dir := os.Getenv("GFNCP_DATA"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &usererr.Error{Msg: "no cache folder for data is known", Hint: "set GFNCP_DATA to a folder", Err: err}
	}
	return filepath.Join(cache, "gfncp"), nil
}

// Load reads a split of a data set from the data folder; see LoadFrom.
func Load(name, split string) (*data.Pool, error) { return LoadFrom("", name, split) }

// LoadFrom reads a split, Train or Test, of a published data set from its sub-folder of dir, or of Dir() if dir is empty.
// The pixels are the published bytes divided by 255, the labels the published ones. Both files are checked against their
// published SHA-256. A missing file is a *usererr.Error that wraps ErrMissing, a damaged one wraps ErrDamaged.
//
// A feature set gives the vectors, brought to length 1, and the labels of the first half of its classes (Train) or the second
// (Test); see docs/your-data.md for the file. A stand-in is computed.
func LoadFrom(dir, name, split string) (*data.Pool, error) {
	if set, found := findFeatures(name); found {
		return set.load(dir, split)
	}
	d, err := find(name)
	if err != nil {
		return nil, err
	}
	return d.load(dir, split)
}

func (d *dataset) load(dir, split string) (*data.Pool, error) {
	two, ok := d.splits[split]
	if !ok {
		return nil, usererr.New("choose train or test", "%s has no split %q", d.Name, split)
	}
	folder, err := d.folder(dir)
	if err != nil {
		return nil, err
	}
	images, err := d.array(folder, two.images, 3)
	if err != nil {
		return nil, err
	}
	labels, err := d.array(folder, two.labels, 1)
	if err != nil {
		return nil, err
	}
	p := &data.Pool{
		Name: d.Name + "/" + split, X: files.UnitPixels(images.Values),
		D: images.Dims[1] * images.Dims[2], Height: images.Dims[1], Width: images.Dims[2],
		Labels: make([]int32, len(labels.Values)), Classes: d.Classes,
	}
	for i, v := range labels.Values {
		p.Labels[i] = int32(v)
	}
	return p, p.Check()
}

// array reads a published IDX file with the given number of dimensions.
func (d *dataset) array(folder string, f file, dims int) (files.IDX, error) {
	status, content, err := inspect(folder, f)
	if err != nil {
		return files.IDX{}, err
	}
	if err := d.fault(folder, status); err != nil {
		return files.IDX{}, err
	}
	return files.ReadIDX(status.Path, bytes.NewReader(content), dims)
}

// Folder is the folder of a data set: its sub-folder of dir, or of Dir() if dir is empty. It need not exist. A synthetic one has
// none: that is a *usererr.Error.
func Folder(name, dir string) (string, error) {
	if set, found := findFeatures(name); found && set.Synthetic {
		return "", usererr.New("leave the name out for the data folder", "%s is computed and has no folder", set.Name)
	} else if found {
		return dataFolder(dir, set.Folder)
	}
	d, err := find(name)
	if err != nil {
		return "", err
	}
	return d.folder(dir)
}

// folder is the data set's own folder in dir, or in Dir() if dir is empty.
func (d *dataset) folder(dir string) (string, error) { return dataFolder(dir, d.Folder) }

// dataFolder is a sub-folder of dir, or of Dir() if dir is empty.
func dataFolder(dir, sub string) (string, error) {
	if dir == "" {
		var err error
		if dir, err = Dir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, sub), nil
}
