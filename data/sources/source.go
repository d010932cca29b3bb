package sources

import (
	"strings"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
)

// Source opens the source that a config describes: mixtures of Gaussians, a data set (Load) or a user's file (Open).
// Pools are read once a process: several sources share them.
func Source(c data.Config) (data.Source, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.IsMixture() {
		return data.NewMoG(c)
	}
	pool, err := poolOf(c)
	if err != nil {
		return nil, err
	}
	source, err := data.NewPoolSource(c, pool)
	if err != nil {
		return nil, err // not a nil *PoolSource in the interface
	}
	return source, nil
}

// PoolOf reads the pool that a config's sets are drawn from; nil for mixtures of Gaussians, which have none.
func PoolOf(c data.Config) (*data.Pool, error) {
	if c.IsMixture() {
		return nil, nil
	}
	return poolOf(c)
}

// key names a pool: a data set's folder and split, or a user's path.
type key struct {
	source, dir, split, path, columns, labels, header string
}

// The pools that have been read. They belong to the process, not to a value that callers hand around: training,
// experiments, sweeps and benchmarks open sources by a plain function (train.Sources), and all of them want the one
// copy of a pool of up to 188 MB.
var (
	poolsMu sync.Mutex
	pools   = map[key]*data.Pool{}
)

func poolOf(c data.Config) (*data.Pool, error) {
	k := key{source: c.Source, path: c.Path, columns: c.Columns, labels: c.Labels, header: c.Header}
	if d := c.Descriptor(); d.HasSplits() {
		k = key{source: c.Source, split: c.Split}
		if d.Make == nil {
			var err error
			if k.dir, err = Dir(); err != nil {
				return nil, err
			}
		}
	}
	poolsMu.Lock()
	defer poolsMu.Unlock()
	if pool, ok := pools[k]; ok {
		return pool, nil
	}
	pool, err := read(c)
	if err != nil {
		return nil, err
	}
	pools[k] = pool
	return pool, nil
}

func read(c data.Config) (*data.Pool, error) {
	if !c.IsOwn() {
		return Load(c.Source, c.Split)
	}
	in, err := files.Open(c.Path, OwnOptions(c))
	if err != nil {
		return nil, err
	}
	return in.Pool, nil
}

// OwnOptions says how a user's file is read for training: as for clustering, with the columns that the config names.
func OwnOptions(c data.Config) files.Options {
	o := files.DefaultOptions()
	o.LabelColumn, o.Header = c.Labels, c.Header
	if c.Columns != "" {
		o.Columns = strings.Split(c.Columns, ",")
	}
	return o
}
