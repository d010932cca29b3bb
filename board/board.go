// Package board serves a page for a browser: the training runs of this machine with live curves. It listens only on
// 127.0.0.1, requires a token, and writes nothing. Package train reads runs.
package board

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Board shows the runs in some folders.
type Board struct {
	// Folders hold runs, at most three levels down, or are runs themselves. A missing folder is looked for again.
	Folders []string

	token string
	mu    sync.Mutex
	known map[string]*Run // by ID
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
	server := &http.Server{
		Handler:           b.handler(listener.Addr().String()),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
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

// handler prepares the board at an address.
func (b *Board) handler(address string) http.Handler {
	b.token = rand.Text() // nobody guesses it
	return b.guard(address, b.routes())
}
