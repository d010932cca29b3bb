package sources

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/short"
)

// mirror serves the files, packed, under /good/, and other things under other folders. hits counts the requests.
func mirror(t *testing.T, contents map[string][]byte) (base string, hits *atomic.Int64) {
	hits = new(atomic.Int64)
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		content := contents[strings.TrimSuffix(path.Base(r.URL.Path), ".gz")]
		switch path.Dir(r.URL.Path) {
		case "/good":
			_, _ = w.Write(packed(content))
		case "/plain":
			_, _ = w.Write(content)
		case "/other":
			_, _ = w.Write(packed(append([]byte{9}, content[1:]...)))
		case "/html":
			_, _ = w.Write([]byte("<html><body>log in first</body></html>"))
		case "/huge":
			_, _ = w.Write(make([]byte, 1<<20))
		case "/broken": // announces more than it sends
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(packed(content)[:10])
		case "/half": // sends the first half and then nothing, until the client goes or the test ends
			_, _ = w.Write(packed(content)[:10])
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-release:
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	return server.URL, hits
}

// filesIn lists all files under a folder.
func filesIn(folder string) (files []string) {
	_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

func TestFetch(t *testing.T) {
	d, contents := tinyData()
	base, hits := mirror(t, contents)
	for _, test := range []struct {
		first, fault string
		requests     int64 // for 4 files
	}{
		{"/good/", "", 4},
		{"/plain/", "", 4},
		{"/none/", "404 Not Found", 8},
		{"/other/", "has SHA-256", 8},
		{"/html/", "has SHA-256", 8},
		{"/huge/", "larger than the published file", 8},
		{"/broken/", "the connection broke after 10 bytes", 8},
	} {
		t.Run(test.first, func(t *testing.T) {
			dir, before := t.TempDir(), hits.Load()
			d.Mirrors = []string{base + test.first, base + "/good/"}
			var said strings.Builder
			say := func(format string, args ...any) { fmt.Fprintf(&said, format+"\n", args...) }
			must.M(fetch(t.Context(), d, FetchOptions{Dir: dir, Say: say}))
			if n := hits.Load() - before; n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
			if _, err := load(d, dir, data.SplitTest); err != nil {
				t.Error(err)
			}
			if files := filesIn(dir); len(files) != 4 {
				t.Errorf("files %v, want 4", files)
			}
			if !strings.Contains(said.String(), test.fault) || strings.Count(said.String(), "tiny: wrote ") != 4 {
				t.Errorf("it said\n%s", said.String())
			}
			// All is there: a second call asks no server, offline or not.
			before = hits.Load()
			if err := fetch(t.Context(), d, FetchOptions{Dir: dir}); err != nil || hits.Load() != before {
				t.Errorf("a second fetch: %v, %d requests", err, hits.Load()-before)
			}
			if err := fetch(t.Context(), d, FetchOptions{Dir: dir, Offline: true}); err != nil {
				t.Error(err)
			}
			if test.fault == "" {
				return
			}
			// With the bad mirror alone the error names address, fault and folder.
			d.Mirrors = d.Mirrors[:1]
			empty := t.TempDir()
			err := fetch(t.Context(), d, FetchOptions{Dir: empty})
			for _, word := range []string{
				base + test.first + "train-images-idx3-ubyte.gz: ", test.fault, filepath.Join(empty, "tiny-folder"),
			} {
				if err == nil || !strings.Contains(err.Error(), word) {
					t.Errorf("%v\ndoes not name %q", err, word)
				}
			}
			if files := filesIn(empty); len(files) != 0 {
				t.Errorf("files %v left behind", files)
			}
		})
	}
}

func TestFetchDamaged(t *testing.T) {
	d, contents := tinyData()
	base, hits := mirror(t, contents)
	d.Mirrors = []string{base + "/html/"}
	dir := t.TempDir()
	folder := filepath.Join(dir, d.Folder)
	kept := write(t, contents["train-images-idx3-ubyte"], folder, "train-images-idx3-ubyte")
	bad := write(t, []byte("damaged"), folder, "train-labels-idx1-ubyte")

	err := fetch(t.Context(), d, FetchOptions{Dir: dir, Offline: true})
	wantIs(t, err, ErrDamaged)
	wantUserError(t, err, bad)
	if hits.Load() != 0 {
		t.Error("offline, a server was asked")
	}
	if err := fetch(t.Context(), d, FetchOptions{Dir: dir}); err == nil ||
		string(must.M1(os.ReadFile(bad))) != "damaged" {
		t.Errorf("without a good file (%v) the damaged one was touched", err)
	}
	d.Mirrors = []string{base + "/good/"}
	before := hits.Load()
	if err := fetch(t.Context(), d, FetchOptions{Dir: dir}); err != nil || hits.Load() != before+3 {
		t.Errorf("%v after %d requests, want 3", err, hits.Load()-before)
	}
	if _, err := os.Stat(bad); !os.IsNotExist(err) {
		t.Errorf("the damaged file is still there: %v", err)
	}
	if !bytes.Equal(must.M1(os.ReadFile(kept)), contents["train-images-idx3-ubyte"]) {
		t.Error("the good file was touched")
	}
}

func TestFetchStops(t *testing.T) {
	d, contents := tinyData()
	base, _ := mirror(t, contents)
	d.Mirrors = []string{base + "/half/"}
	t.Run("no server", func(t *testing.T) {
		alone, _ := tinyData("http://127.0.0.1:1/") // port 1 (tcpmux) has no listener
		err := fetch(t.Context(), alone, FetchOptions{Dir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:1/train-images-idx3-ubyte.gz: dial tcp") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("stalled", func(t *testing.T) {
		dir := t.TempDir()
		err := fetch(t.Context(), d, FetchOptions{Dir: dir, stall: 50 * time.Millisecond})
		if err == nil || !strings.Contains(err.Error(), "no data came for too long") || len(filesIn(dir)) != 0 {
			t.Errorf("got %v and files %v", err, filesIn(dir))
		}
	})
	t.Run("ended", func(t *testing.T) {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		wantIs(t, fetch(ctx, d, FetchOptions{Dir: dir}), context.DeadlineExceeded)
		if files := filesIn(dir); len(files) != 0 {
			t.Errorf("files %v left behind", files)
		}
		wantIs(t, fetch(ctx, d, FetchOptions{Dir: dir}), context.DeadlineExceeded)
	})
}

// A process killed in the middle of a download leaves no file.
func TestFetchKilled(t *testing.T) {
	short.Skip(t, "starts a process")
	_, contents := tinyData()
	base, hits := mirror(t, contents)
	dir := t.TempDir()
	child := exec.Command(must.M1(os.Executable()), "-test.run=^TestFetchChild$")
	child.Env = append(os.Environ(), "GFNCP_TEST_MIRROR="+base+"/half/", "GFNCP_TEST_DIR="+dir)
	must.M(child.Start())
	for range 600 { // until the child has asked for the file
		if hits.Load() > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if hits.Load() == 0 {
		t.Error("the child asked for nothing")
	}
	must.M(child.Process.Kill())
	_ = child.Wait()
	if child.ProcessState.Success() {
		t.Error("the child ended by itself")
	}
	if files := filesIn(dir); len(files) != 0 {
		t.Errorf("files %v left behind", files)
	}
}

// TestFetchChild is not a test: it is the process that TestFetchKilled kills.
func TestFetchChild(t *testing.T) {
	if os.Getenv("GFNCP_TEST_MIRROR") == "" {
		t.Skip("it only runs as a child process of TestFetchKilled")
	}
	d, _ := tinyData(os.Getenv("GFNCP_TEST_MIRROR"))
	_ = fetch(t.Context(), d, FetchOptions{Dir: os.Getenv("GFNCP_TEST_DIR")})
}
