package vision

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
)

// toServer sends every request to one address.
type toServer string

// RoundTrip implements http.RoundTripper.
func (s toServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if got := r.URL.String(); got != PublishedURL {
		return nil, fmt.Errorf("asked for %s", got)
	}
	to := must.M1(http.NewRequestWithContext(r.Context(), r.Method, string(s), nil))
	return http.DefaultTransport.RoundTrip(to)
}

// The published weights are downloaded only with a checksum that the user gives, and only content that has it is kept.
func TestPublished(t *testing.T) {
	content := []byte("weights")
	good := fmt.Sprintf("%X", sha256.Sum256(content))
	bad := strings.Repeat("0", 64)
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	t.Setenv(sources.DirEnv, t.TempDir())
	path := must.M1(PublishedPath())
	get := func(sum string) (string, error) {
		return Published(t.Context(), sum, sources.FetchOptions{Client: &http.Client{Transport: toServer(server.URL)}})
	}

	_, err := get("")
	wantUserError(t, err, path, PublishedURL, PublishedPage, "--sha256", "--weights")
	_, err = get("abc")
	wantUserError(t, err, "abc", PublishedPage)
	if requests != 0 {
		t.Error("a server was asked")
	}
	if _, err := get(bad); err == nil || !strings.Contains(err.Error(), strings.ToLower(good)) {
		t.Errorf("content with another checksum: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("content with another checksum was kept")
	}
	for range 2 {
		if got := must.M1(get(good)); got != path || string(must.M1(os.ReadFile(path))) != string(content) {
			t.Errorf("it lies at %s, want %s", got, path)
		}
	}
	if requests != 2 {
		t.Errorf("%d requests, want 2", requests)
	}
	if got := must.M1(get("")); got != path {
		t.Errorf("what is there is not used: %s", got)
	}
	_, err = get(bad)
	wantUserError(t, err, path, "has SHA-256")
	if requests != 2 || string(must.M1(os.ReadFile(path))) != string(content) {
		t.Error("a file with another checksum was replaced")
	}
}
