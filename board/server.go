package board

import (
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/web"
	"github.com/gfncp/gfncp/train"
)

//go:embed page
var page embed.FS

// policy is the Content-Security-Policy of the board's page: scripts and data come only from the board.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (b *Board) routes() http.Handler {
	mux := http.NewServeMux()
	fixed := func(pattern, kind, content string) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind+"; charset=utf-8")
			_, _ = io.WriteString(w, content)
		})
	}
	scripts := web.Own(page, "runs.js", "curves.js", "start.js")
	fixed("/{$}", "text/html", web.Own(page, "index.html"))
	fixed("/board.js", "text/javascript", web.Chart+"\n"+web.Common+"\n"+scripts)
	fixed("/board.css", "text/css", web.Style+web.Own(page, "board.css"))
	mux.HandleFunc("GET /state", b.state)
	mux.HandleFunc("GET /log/{id}", b.log)
	return mux
}

// guard passes on requests that name this host, come from no other site, and begin the path with the token.
func (b *Board) guard(address string, inner http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(address)
	hosts := map[string]bool{address: true, net.JoinHostPort("localhost", port): true}
	mux := http.NewServeMux() // knows the token, so that its redirects keep it
	mux.Handle("/"+b.token+"/", http.StripPrefix("/"+b.token, inner))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		origin := r.Header.Get("Origin")
		switch token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); {
		case !hosts[r.Host]:
			refuse(w, http.StatusForbidden, "this board answers at http://"+address+" alone")
		case origin != "" && !hosts[strings.TrimPrefix(origin, "http://")]:
			refuse(w, http.StatusForbidden, "a page of another site has no business here")
		case subtle.ConstantTimeCompare([]byte(token), []byte(b.token)) != 1:
			refuse(w, http.StatusNotFound, "the address lacks the token that gfncp board printed")
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// refuse answers with an error sentence as JSON.
func refuse(w http.ResponseWriter, status int, words string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": words})
}

func (b *Board) state(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(b.look())
}

// log sends the part of a run's log that the header Range asks for.
func (b *Board) log(w http.ResponseWriter, r *http.Request) {
	dir := b.directory(r.PathValue("id"))
	if dir == "" {
		refuse(w, http.StatusNotFound, "there is no such run")
		return
	}
	file, err := fileio.Open(train.LogPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return // the run has only begun, or has gone
	}
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	defer func() { _ = file.Close() }()
	http.ServeContent(w, r, "metrics.jsonl", time.Time{}, file)
}
