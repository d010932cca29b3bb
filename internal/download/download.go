// Package download fetches files over HTTP. A download that stalls is given up.
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// DefaultStall is the time without any data after which a download is given up: a slow server can answer in it.
const DefaultStall = 30 * time.Second

var errStalled = errors.New("no data came for too long")

// Get returns the file at an address, of at most limit bytes. It gives up when no data comes for stall.
func Get(ctx context.Context, stall time.Duration, address string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
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
	body, err := io.ReadAll(io.LimitReader(&watched{response.Body, watch, stall}, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the connection broke after %d bytes: %w", len(body), cmp.Or(context.Cause(ctx), err))
	case int64(len(body)) > limit:
		return nil, fmt.Errorf("it is larger than the published file can be, %d bytes", limit)
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
