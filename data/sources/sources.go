// Package sources opens the sources of sets by name: mixtures of Gaussians, MNIST and Fashion-MNIST, which it can also
// fetch and check, features of ImageNet from the user's files, their synthetic stand-ins, and a user's own file
// (package data/files).
package sources

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Source opens the source that a config describes: mixtures of Gaussians, a data set (Load) or a user's file (Open).
// Pools are read once per process: several sources share them.
func Source(c data.Config) (data.Source, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.IsMixture() {
		return data.NewMoG(c)
	}
	pool, err := PoolOf(c)
	if err != nil {
		return nil, err
	}
	source, err := data.NewPoolSource(c, pool)
	if err != nil {
		return nil, err // not a nil *PoolSource in the interface
	}
	return source, nil
}

// key names a pool: the fields of a config by which it is read, and the data folder.
type key struct {
	data.Config
	dir string
}

// The pools that have been read belong to the process: training, experiments, sweeps and benchmarks open sources by a
// plain function (train.Sources), and want the one copy of a pool of up to 188 MB.
var (
	poolsMu sync.Mutex
	pools   = map[key]*data.Pool{}
)

// PoolOf reads the pool that a config's sets are drawn from; nil for mixtures of Gaussians, which have no pool.
func PoolOf(c data.Config) (*data.Pool, error) {
	if c.IsMixture() {
		return nil, nil
	}
	k := key{Config: data.Config{
		Source: c.Source, Path: c.Path, Columns: c.Columns, Labels: c.Labels, Header: c.Header,
		Ignore: c.Ignore, Categorical: c.Categorical, Encoding: c.Encoding,
	}}
	if d := c.Descriptor(); d.HasSplits() {
		k.Split, k.dir = c.Split, os.Getenv(DirEnv)
	}
	poolsMu.Lock()
	defer poolsMu.Unlock()
	if pool, ok := pools[k]; ok {
		return pool, nil
	}
	read := own
	if !c.IsOwn() {
		read = func(c data.Config) (*data.Pool, error) { return Load("", c.Source, c.Split) }
	}
	pool, err := read(c)
	if err != nil {
		return nil, err // not points that were read only in part
	}
	pools[k] = pool
	return pool, nil
}

// own reads a user's file for training: as for clustering, with the columns and the encoding that the config names.
func own(c data.Config) (*data.Pool, error) {
	o := files.Options{}
	o.LabelColumn, o.Header = c.Labels, c.Header
	list := func(columns string) []string {
		if columns == "" {
			return nil
		}
		return strings.Split(columns, ",")
	}
	o.Columns, o.Ignore, o.Categorical = list(c.Columns), list(c.Ignore), list(c.Categorical)
	encoding, err := c.TableEncoding()
	if err != nil {
		return nil, err
	}
	o.Encoding = encoding
	in, err := files.Read(c.Path, o)
	if err != nil {
		return nil, err
	}
	return in.Pool, in.Points(encoding)
}

// DirEnv is the environment variable that names the data folder; see Dir.
const DirEnv = "GFNCP_DATA"

// Dir is the data folder: $GFNCP_DATA if that is set, else gfncp in the user's cache folder. It need not exist. Without
// either, as where no home folder is known, Dir returns a *usererr.Error.
func Dir() (string, error) {
	if dir := os.Getenv(DirEnv); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usererr.New("set "+DirEnv+" to a folder", "no cache folder for data is known").Because(err)
	}
	return filepath.Join(cache, "gfncp"), nil
}

// Load reads a split of a data set from its sub-folder of dir, or of Dir() if dir is empty.
//
// Published images have the published bytes divided by 255 as pixels. A feature set gives the vectors, brought to
// length 1, of the first half of its classes (training) or the second (test); see docs/your-data.md for the file. A
// missing file is a *usererr.Error that wraps ErrMissing; one whose content is not the published one wraps ErrDamaged.
func Load(dir, name, split string) (*data.Pool, error) {
	d, err := data.DataSet(name)
	if err != nil {
		return nil, err
	}
	return load(d, dir, split)
}

func load(d data.Descriptor, dir, split string) (*data.Pool, error) {
	if split != data.SplitTrain && split != data.SplitTest && (split != data.SplitValid || !d.Published()) {
		return nil, usererr.New("choose train or test", "%s has no split %q", d.Name, split)
	}
	if d.Derive != nil {
		return d.Derive(dir, split)
	}
	folder, err := folderOf(d, dir)
	switch {
	case err != nil:
		return nil, err
	case d.Published():
		return loadImages(d, folder, split)
	}
	return loadFeatures(d, folder, split)
}

// folderOf is the data set's sub-folder of dir, or of Dir() if dir is empty.
func folderOf(d data.Descriptor, dir string) (string, error) {
	if dir == "" {
		var err error
		if dir, err = Dir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, d.Folder), nil
}
