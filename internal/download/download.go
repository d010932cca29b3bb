// Package download fetches files over HTTP. A download that stalls is given up, and one that broke off can be
// continued.
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
)

// DefaultStall is the time without any data after which a download is given up: a slow server can answer in it.
const DefaultStall = 30 * time.Second

var errStalled = errors.New("no data came for too long")

// Get writes the file at an address, at most limit bytes, and gives up when no data comes for stall. have is the number
// of its first bytes that are there already. When the server has answered, Get calls open with the offset of the first
// byte that comes: have, or 0 if the server sends all. After an error, the bytes that came until then have been
// written.
func Get(ctx context.Context, stall time.Duration, address string, have, limit int64,
	open func(from int64) (io.Writer, error),
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer watch.Stop()
	response, err := send(ctx, address, have)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer func() { _ = response.Body.Close() }()
	from := int64(0)
	switch begins := fmt.Sprintf("bytes %d-", have); {
	case response.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(response.Header.Get("Content-Range"), begins):
		from = have
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0:
		return Get(ctx, stall, address, 0, limit, open)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the server answers %s", response.Status)
	}
	to, err := open(from)
	if err != nil {
		return err
	}
	body := io.LimitReader(&watched{response.Body, watch, stall}, limit-from+1)
	switch n, err := io.Copy(to, body); {
	case err != nil:
		return fmt.Errorf("the connection broke after %d bytes: %w", from+n, cmp.Or(context.Cause(ctx), err))
	case from+n > limit:
		return fmt.Errorf("it is larger than the published file can be, %d bytes", limit)
	}
	return nil
}

// send requests the file at an address, from byte have on.
func send(ctx context.Context, address string, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // the file as it is: no unpacking on the way
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := http.DefaultClient.Do(request)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the address
	}
	return response, err
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

// CheckPlace makes the folder of a file and checks that the file can be written; hint is the remedy for the folder.
func CheckPlace(path, hint string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return usererr.File(folder, 0, hint, "the folder cannot be made: %v", err)
	}
	return atomicfile.CheckWritable(path)
}
