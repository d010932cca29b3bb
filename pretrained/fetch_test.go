package pretrained

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/usererr"
)

// small is the smallest of the models that are not embedded.
const small = "mog-gfncp-free-online"

func inFull() []byte { return must.M1(os.ReadFile("weights/" + small + ending)) }

// mirror serves weights as they are, under /half/ one half and then an end, under /other/ other bytes. It counts the
// requests.
func mirror(t *testing.T) (base string, requests *int) {
	requests = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		content := inFull()
		switch {
		case strings.HasPrefix(r.URL.Path, "/half/"):
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content[:len(content)/2])
		case strings.HasPrefix(r.URL.Path, "/other/"):
			_, _ = w.Write(content[1:])
		default:
			http.StripPrefix("/good", http.FileServer(http.Dir("weights"))).ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// A download that broke off leaves nothing; what is not the published file is thrown away, also if it was there.
func TestFetch(t *testing.T) {
	base, requests := mirror(t)
	to := t.TempDir()
	path := filepath.Join(to, small+ending)
	fetch := func(from string) error {
		return Fetch(t.Context(), []string{small}, FetchOptions{From: from, To: to})
	}
	if err := fetch(base + "/half"); !usererr.Is(err) || !strings.Contains(err.Error(), "the connection broke after") {
		t.Errorf("half a file: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("half a file counts as whole")
	}
	must.M(fetch(base + "/good/"))
	if !bytes.Equal(must.M1(os.ReadFile(path)), inFull()) {
		t.Error("another file came")
	}
	must.M(fetch(base + "/good"))
	if *requests != 2 {
		t.Error("a file that is there was asked for")
	}
	must.M(os.WriteFile(path, []byte("damaged"), 0o600))
	if err := fetch(base + "/other"); !usererr.Is(err) || !strings.Contains(err.Error(), "SHA-256 differs") {
		t.Errorf("another file: %v", err)
	}
	must.M(fetch(base + "/good"))
	if entries := must.M1(os.ReadDir(to)); len(entries) != 1 || !bytes.Equal(must.M1(os.ReadFile(path)), inFull()) {
		t.Errorf("left: %v", entries)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	err := Fetch(stopped, []string{small}, FetchOptions{From: base + "/good", To: t.TempDir()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// Weights come from a folder as from a server; a wrong name, or a folder without them, is the user's fault.
func TestFetchFromFolder(t *testing.T) {
	to := t.TempDir()
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	must.M(Fetch(t.Context(), []string{small}, FetchOptions{From: "weights", To: to, Say: say}))
	if !bytes.Equal(must.M1(os.ReadFile(filepath.Join(to, small+ending))), inFull()) || len(said) != 2 {
		t.Errorf("it said %q", said)
	}
	for name, want := range map[string]string{
		"mog-npc":        "did you mean mog-ncp",
		"mog-gfncp-free": "is inside the program",
		"mog-ncp":        "mog-ncp.safetensors",
	} {
		err := Fetch(t.Context(), []string{name}, FetchOptions{From: to, To: t.TempDir()})
		if !usererr.Is(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	must.M(os.WriteFile(filepath.Join(to, small+ending), inFull()[1:], 0o600))
	err := Fetch(t.Context(), []string{small}, FetchOptions{From: to, To: t.TempDir()})
	if !usererr.Is(err) || !strings.Contains(err.Error(), "SHA-256 differs") {
		t.Errorf("a damaged file: %v", err)
	}
}

// Without a clone, weights are sought in the folder of fetched ones, or in the one of the environment alone.
func TestFolders(t *testing.T) {
	t.Setenv(Env, "")
	clone := must.M1(filepath.Abs("weights"))
	if got := folders(); len(got) < 2 || got[0] != clone || got[len(got)-1] != must.M1(Folder()) {
		t.Errorf("in a clone: %q", got)
	}
	if got := inClone(t.TempDir()); got != "" {
		t.Errorf("outside of a clone: %q", got)
	}
	t.Setenv(Env, "elsewhere")
	if got := folders(); len(got) != 1 || got[0] != "elsewhere" {
		t.Errorf("with %s: %q", Env, got)
	}
}

// What is published and not there says how to get it.
func TestAbsent(t *testing.T) {
	for name, want := range map[string]string{"mog-ncp": "run gfncp fetch weights mog-ncp", "mine": "not exist"} {
		_, err := absent{}.Open(name + ending)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(gfncp.Models()) < len(Names())+2 {
		t.Errorf("%q and %q", gfncp.Models(), Names())
	}
}
