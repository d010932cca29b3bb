// Package download fetches published files over HTTP, checks them and writes them whole. It gives up a download that
// stalls.
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// defaultStall is the time without any data after which a download is given up: a slow server can answer in it.
const defaultStall = 30 * time.Second

var errStalled = errors.New("no data came for too long")

// File is a published file and where it comes from.
type File struct {
	Path      string                           // where it is written
	Addresses []string                         // URLs, or paths of files, which are tried in this order
	Limit     int64                            // the most bytes that it may have
	Check     func(content []byte) error       // says what is wrong with a content
	Say       func(format string, args ...any) // called with each line of progress
	Stall     time.Duration                    // 0 is 30 seconds
	DirHint   string                           // the remedy for a folder that cannot be written
	Hint      string                           // the remedy if no address gives the file
}

// Fetch writes the content of the first address that gives a good one, and replaces a file that is there. If no address
// does, it returns a *usererr.Error that lists each with its fault. If ctx ends, the error wraps ctx.Err().
func Fetch(ctx context.Context, f File) error {
	if err := atomicfile.MakeDir(filepath.Dir(f.Path), f.DirHint); err != nil {
		return err
	}
	var faults []string
	for _, address := range f.Addresses {
		f.Say("fetching %s", address)
		content, err := f.get(ctx, address)
		if err == nil {
			err = f.Check(content)
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("fetch %s: %w", address, ctx.Err())
		case err == nil:
			if err = atomicfile.WriteFile(f.Path, content); err == nil {
				f.Say("wrote %s (%.1f MB)", f.Path, float64(len(content))/1e6)
			}
			return err
		}
		faults = append(faults, fmt.Sprintf("%s: %v", address, err))
		f.Say("%s", faults[len(faults)-1])
	}
	return usererr.File(f.Path, 0, f.Hint, "could not be fetched (%s)", strings.Join(faults, "; "))
}

// get returns the file at an address, which it gives up when no data comes for too long, or at a path.
func (f File) get(ctx context.Context, address string) ([]byte, error) {
	if at, err := url.Parse(address); err != nil || at.Scheme != "http" && at.Scheme != "https" {
		return fileio.ReadFile(address)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := cmp.Or(f.Stall, defaultStall)
	watch := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer watch.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // the file as it is: no unpacking on the way
	response, err := http.DefaultClient.Do(request)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the address
	}
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(&watched{response.Body, watch, stall}, f.Limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the connection broke after %d bytes: %w", len(body), cmp.Or(context.Cause(ctx), err))
	case int64(len(body)) > f.Limit:
		return nil, fmt.Errorf("it is larger than the published file can be, %d bytes", f.Limit)
	}
	return body, nil
}

// watched restarts the timer watch whenever data comes in.
type watched struct {
	io.Reader
	watch *time.Timer
	stall time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.watch.Reset(w.stall)
	}
	return n, err
}
