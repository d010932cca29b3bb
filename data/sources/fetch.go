package sources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/download"
)

// FetchOptions says how Fetch works. The zero value fetches into Dir() without messages.
type FetchOptions struct {
	// Dir is the data folder; the files go to the data set's sub-folder in it. Empty means Dir().
	Dir string

	// Offline makes a missing file an error; nothing is fetched or written.
	Offline bool

	// Say, if not nil, is called with each line of progress.
	Say func(format string, args ...any)

	stall time.Duration // see download.File
}

// Fetch copies the files of a published data set, or of the data sets that it is derived from, into the data folder and
// checks them against the published SHA-256. Each file is tried from several mirrors in order. A good file is kept; a
// damaged one is replaced once a good one is fetched. Files are written atomically, even if Fetch is killed.
//
// If no mirror gives a file, the *usererr.Error lists every address with its fault. If ctx ends, the error wraps
// ctx.Err(). With Offline, and for a feature set, which cannot be fetched, it is a *usererr.Error that wraps
// ErrMissing or ErrDamaged.
func Fetch(ctx context.Context, name string, o FetchOptions) error {
	d, err := data.DataSet(name)
	if err != nil {
		return err
	}
	for _, part := range d.From {
		if err := Fetch(ctx, part, o); err != nil {
			return err
		}
	}
	switch {
	case d.From != nil: // making it would show nothing more
		return nil
	case d.Published():
		return fetch(ctx, d, o)
	}
	_, err = load(d, o.Dir, data.SplitTrain)
	return err
}

func fetch(ctx context.Context, d data.Descriptor, o FetchOptions) error {
	say := o.Say
	o.Say = func(format string, args ...any) {
		if say != nil {
			say(d.Name+": "+format, args...)
		}
	}
	found, err := verify(d, o.Dir)
	if err != nil {
		return err
	}
	for i, f := range allFiles(d) {
		switch {
		case found[i].State == OK:
			o.Say("%s is there already", found[i].Path)
		case o.Offline:
			return faultOf(d, found[i])
		default:
			if err := o.fetchFile(ctx, d, filepath.Dir(found[i].Path), f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o FetchOptions) fetchFile(ctx context.Context, d data.Descriptor, folder string, f data.File) error {
	path, other := places(folder, f)[0], places(folder, f)[1]
	file := download.File{
		Path: path, Stall: o.stall, Say: o.Say, DirHint: "choose another folder with GFNCP_DATA or --data-dir",
		// gzip adds 18 bytes, a name, and 5 bytes for every 64 KiB that do not shrink (RFC 1951, section 3.2.4)
		Limit: f.Size + 4096 + f.Size/8192,
		Check: func(content []byte) error {
			_, fault, err := check(f, bytes.NewReader(content))
			if fault != "" {
				err = errors.New(fault)
			}
			return err
		},
		Hint: "get it in another way, then run gfncp data fetch --offline " + d.Name,
	}
	for _, mirror := range d.Mirrors {
		file.Addresses = append(file.Addresses, mirror+f.Name+".gz")
	}
	if err := download.Fetch(ctx, file); err != nil {
		return err
	}
	if err := os.Remove(other); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove the damaged file: %w", err)
	}
	return nil
}
