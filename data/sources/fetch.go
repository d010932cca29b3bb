package sources

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/atomicfile"
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

	stall time.Duration // see download.Get; 0 means download.DefaultStall
}

// Fetch copies the files of a published data set, or of the data sets that it is derived from, into the data folder and
// checks them against the published SHA-256. Each file is tried from several mirrors in order. A good file is kept; a
// damaged one is replaced once a good one is fetched. Files are written atomically, even if Fetch is killed.
//
// If no mirror gives a file, the error lists every address with its fault, a line each, and a remedy; if ctx ends, it
// wraps ctx.Err(). With Offline, and for a feature set, which cannot be fetched, it is a *usererr.Error that wraps
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
	if err := atomicfile.MakeDir(folder, "choose another folder with GFNCP_DATA or --data-dir"); err != nil {
		return err
	}
	lines := []string{fmt.Sprintf("%s: %s.gz could not be fetched into %s:", d.Name, f.Name, folder)}
	for _, mirror := range d.Mirrors {
		url := mirror + f.Name + ".gz"
		o.Say("fetching %s", url)
		body, fault := o.download(ctx, url, f)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("fetch %s: %w", url, ctx.Err())
		case fault == "":
			return o.store(folder, f, body)
		}
		o.Say("%s: %s", url, fault)
		lines = append(lines, url+": "+fault)
	}
	lines = append(lines,
		"get the file in another way and put it into that folder, then run gfncp data fetch --offline "+d.Name)
	return errors.New(strings.Join(lines, "\n  "))
}

// store writes a good file, packed as it came, and removes a damaged one under the other name.
func (o FetchOptions) store(folder string, f data.File, body []byte) error {
	path, other := places(folder, f)[0], places(folder, f)[1]
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) { // it came unpacked
		path, other = other, path
	}
	if err := atomicfile.WriteFile(path, body, atomicfile.DefaultPerm); err != nil {
		return err
	}
	o.Say("wrote %s (%.1f MB)", path, float64(len(body))/1e6)
	if err := os.Remove(other); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove the damaged file: %w", err)
	}
	return nil
}

// download returns the file at the address, as it was sent and with the right content, or the fault in words.
func (o FetchOptions) download(ctx context.Context, address string, f data.File) (body []byte, fault string) {
	// gzip adds 18 bytes, a name, and 5 bytes for every 64 KiB that do not shrink (RFC 1951, section 3.2.4): < 1/8192.
	body, err := download.Get(ctx, cmp.Or(o.stall, download.DefaultStall), address, f.Size+4096+f.Size/8192)
	if err == nil {
		_, fault, err = check(f, bytes.NewReader(body))
	}
	if err != nil {
		return nil, err.Error()
	}
	return body, fault
}
