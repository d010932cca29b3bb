package board

import (
	"net/http/httptest"
	"testing"
)

// serve serves a board until the test ends, and returns its address.
func serve(t *testing.T, b *Board) (url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = b.handler(server.Listener.Addr().String())
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/" + b.token + "/"
}
