package board

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/board/testruns"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/usererr"
)

// ask sends a request, which change may alter, and returns the answer's status and text.
func ask(
	t *testing.T, method, url, body string, change ...func(*http.Request),
) (status int, text string, head http.Header) {
	t.Helper()
	r := must.M1(http.NewRequest(method, url, strings.NewReader(body)))
	for _, alter := range change {
		alter(r)
	}
	answer := must.M1(http.DefaultClient.Do(r))
	defer func() { must.M(answer.Body.Close()) }()
	return answer.StatusCode, string(must.M1(io.ReadAll(answer.Body))), answer.Header
}

// Who does not know the token, names another host, or comes from a page of another site, gets nothing.
func TestGuard(t *testing.T) {
	url := serve(t, &Board{Folders: []string{t.TempDir()}})
	host := strings.Split(url, "/")[2]
	for _, test := range []struct {
		name, method, url, host, origin string
		want                            int
	}{
		{"the page", "GET", url, "", "", 200},
		{"no last slash", "GET", strings.TrimSuffix(url, "/"), "", "", 200},
		{"two slashes", "GET", url + "/state", "", "", 200},
		{"localhost", "GET", url, strings.Replace(host, "127.0.0.1", "localhost", 1), "", 200},
		{"no token", "GET", "http://" + host + "/", "", "", 404},
		{"no token for the state", "GET", "http://" + host + "/state", "", "", 404},
		{"another token", "GET", "http://" + host + "/" + strings.Repeat("0", 32) + "/", "", "", 404},
		{"a name that leads here", "GET", url, "evil.example", "", 403},
		{"that name with the port", "GET", url, "evil.example:" + strings.Split(host, ":")[1], "", 403},
		{"a page of another site", "GET", url + "state", "", "http://evil.example", 403},
		{"a page without an origin", "GET", url + "state", "", "null", 403},
		{"writing elsewhere", "POST", url, "", "", 405},
		{"what is not there", "GET", url + "nothing", "", "", 404},
	} {
		status, text, head := ask(t, test.method, test.url, "x,y\n1,2\n", func(r *http.Request) {
			r.Host = test.host
			r.Header.Set("Origin", test.origin)
		})
		if status != test.want {
			t.Errorf("%s: status %d, want %d: %s", test.name, status, test.want, text)
		}
		if p := head.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") ||
			strings.Contains(p, "http") || head.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: the policy is %q", test.name, p)
		}
	}
}

// A port in use is the user's fault, with a remedy.
func TestPortInUse(t *testing.T) {
	taken := must.M1(net.Listen("tcp", "127.0.0.1:0"))
	defer func() { must.M(taken.Close()) }()
	b := &Board{Folders: []string{t.TempDir()}}
	err := b.Serve(t.Context(), taken.Addr().(*net.TCPAddr).Port, func(string) { t.Error("it listens") })
	if !usererr.Is(err) || !strings.Contains(err.Error(),
		"is in use; stop what uses it, or choose another with --port") {
		t.Error(err)
	}
}

// Serve listens to this machine alone and ends with its context.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	urls, ended := make(chan string, 1), make(chan error, 1)
	b := &Board{Folders: []string{t.TempDir()}}
	go func() { ended <- b.Serve(ctx, 0, func(url string) { urls <- url }) }()
	url := <-urls
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("it serves at %s", url)
	}
	status, text, _ := ask(t, "GET", url, "")
	if status != 200 || strings.Contains(strings.ReplaceAll(text, "data:", ""), "http") {
		t.Errorf("status %d: %s", status, text)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The page reads a log from where it stopped, and the state says how long it is.
func TestLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	testruns.WriteRun(t, dir, 3)
	url := serve(t, &Board{Folders: []string{dir}})
	lines, id := testruns.LogLine(1)+testruns.LogLine(2)+testruns.LogLine(3), cached.Hash(dir)
	from := fmt.Sprintf("bytes=%d-", len(testruns.LogLine(1)))
	_, state, _ := ask(t, "GET", url+"state", "") // finds the run
	if !strings.Contains(state, fmt.Sprintf(`"bytes":%d,`, len(lines))) {
		t.Errorf("the state is %s", state)
	}
	status, text, _ := ask(t, "GET", url+"log/"+id, "", func(r *http.Request) { r.Header.Set("Range", from) })
	if status != 206 || text != testruns.LogLine(2)+testruns.LogLine(3) {
		t.Errorf("status %d: %s", status, text)
	}
	must.M(os.Remove(filepath.Join(dir, "metrics.jsonl")))
	if status, text, _ := ask(t, "GET", url+"log/"+id, ""); status != 200 || text != "" {
		t.Errorf("without a log: status %d: %s", status, text)
	}
	if status, _, _ := ask(t, "GET", url+"log/other", ""); status != 404 {
		t.Errorf("of no run: status %d", status)
	}
}
