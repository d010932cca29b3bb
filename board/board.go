// Package board serves a page for a browser: the training runs of this machine with live curves, and a zone where
// dropped files are clustered. It listens only on 127.0.0.1 and requires a token. It writes only temporary files for
// dropped files.
//
// Package train reads runs; the caller clusters files (Board.Cluster).
package board

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Board holds the settings of a board.
type Board struct {
	// Folders hold runs, at most three levels down, or are runs themselves. A missing folder is looked for again.
	Folders []string
	// Cluster clusters the file at path and writes an explorer to page. It ends with ctx. Its error is shown to the
	// user.
	Cluster func(ctx context.Context, path, page string) error
	// Every is the time between two looks at the files; 0: a second.
	Every time.Duration

	token  string
	drops  *drops
	finder *finder
}

// Serve listens to a port of 127.0.0.1 (0: any that is free), calls tell with the address and its token, and serves
// until ctx ends. A port in use is a *usererr.Error.
func (b *Board) Serve(ctx context.Context, port int, tell func(url string)) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return usererr.New("stop what uses it, or choose another with --port; --port 0 takes any that is free",
			"port %d is in use", port)
	}
	if err != nil {
		return usererr.New("choose another with --port", "port %d cannot be listened to (%v)", port, err)
	}
	defer func() { _ = listener.Close() }()
	handler, end, err := b.handler(ctx, listener.Addr().String())
	if err != nil {
		return err
	}
	defer end()
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	tell(fmt.Sprintf("http://%s/%s/", listener.Addr(), b.token))
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the board: %w", err)
	}
	return nil
}

// handler prepares the board at an address. end stops the clusterings and removes the temporary files.
func (b *Board) handler(ctx context.Context, address string) (h http.Handler, end func(), err error) {
	dir, err := os.MkdirTemp("", "gfncp-board-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for what is dropped: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	b.token = rand.Text() // nobody guesses it
	b.finder = &finder{folders: b.Folders, every: cmp.Or(b.Every, time.Second), known: map[string]*Run{}}
	b.drops = &drops{ctx: ctx, dir: dir, cluster: b.Cluster, turn: semaphore.NewWeighted(1)}
	end = func() {
		cancel()
		b.drops.running.Wait()
		_ = os.RemoveAll(dir)
	}
	return b.guard(address, b.routes()), end, nil
}
