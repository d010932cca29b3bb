package sources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/gfncp/gfncp/data"
)

// errStalled ends a download through which no data comes.
var errStalled = errors.New("no data came for too long")

// packSlack is how many bytes a packed file may be larger than its content: gzip adds 18 bytes, a name, and 5 bytes for
// every 64 KiB that do not shrink (RFC 1951, section 3.2.4), less than 1/8192.
func packSlack(size int64) int64 { return 4096 + size/8192 }

// download returns the file at the address, as it came, or the fault in words. Its content has been checked.
func (o FetchOptions) download(ctx context.Context, address string, f data.File) (body []byte, fault string) {
	body, err := o.get(ctx, address, f.Size+packSlack(f.Size))
	if err != nil {
		return nil, err.Error()
	}
	_, fault, err = check(f, bytes.NewReader(body))
	if err != nil { // reading memory does not fail
		return nil, err.Error()
	}
	return body, fault
}

// get returns the body of a response of status 200, of at most limit bytes. It gives up if no data comes for o.stall.
func (o FetchOptions) get(ctx context.Context, address string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(o.stall, func() { cancel(errStalled) })
	defer watch.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // the file as it is: no unpacking on the way
	response, err := o.Client.Do(request)
	if err != nil {
		var wrapped *url.Error // it repeats the address
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, causeOr(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(&watched{response.Body, watch, o.stall}, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the connection broke after %d bytes: %w", len(body), causeOr(ctx, err))
	case int64(len(body)) > limit:
		return nil, fmt.Errorf("it is larger than the published file can be, %d bytes", limit)
	}
	return body, nil
}

// causeOr returns why ctx ended, or err if it has not.
func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// watched puts off the watch whenever data comes in.
type watched struct {
	io.Reader
	watch *time.Timer
	stall time.Duration
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.watch.Reset(w.stall)
	}
	return n, err
}
