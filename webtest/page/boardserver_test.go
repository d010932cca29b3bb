package page

import (
	"context"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/board"
)

// serve serves a board until the test ends, and returns its address.
func serve(t *testing.T, b *board.Board) string {
	t.Helper()
	address, ended := make(chan string, 1), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- b.Serve(ctx, 0, func(url string) { address <- url }) }()
	t.Cleanup(func() {
		stop()
		must.M(<-ended)
	})
	return <-address
}
