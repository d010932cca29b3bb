package board

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// clustered stands for the clustering, which is the caller's: its page has the name of the file.
func clustered(_ context.Context, path, page string) error {
	if strings.Contains(string(must.M1(os.ReadFile(path))), `"`) {
		return errors.New(path + ":2: is no table")
	}
	return os.WriteFile(page, []byte("<title>"+filepath.Base(path)+"</title>"), 0o600)
}

// serve serves a board until the test ends, and returns its address.
func serve(t *testing.T, b *Board) (url string) {
	t.Helper()
	if b.Cluster == nil {
		b.Cluster = clustered
	}
	server := httptest.NewUnstartedServer(nil)
	handler, end, err := b.handler(t.Context(), server.Listener.Addr().String())
	must.M(err)
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		end()
	})
	return server.URL + "/" + b.token + "/"
}
